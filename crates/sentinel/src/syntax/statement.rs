//! Statements.

use std::sync::Arc;

use super::ast::{
    BinaryOp, Expr, ExprKind, For, Func, Import, Name, Names, Param, PostfixPartKind, Program, Stmt,
    StmtKind, Target,
};
use super::literal;
use super::parser::{Parsed, Parser};
use super::token::Kind;
use crate::builtins;
use crate::source::SyntaxErrorKind;

impl Parser<'_> {
    pub(super) fn program(&mut self) -> Program {
        let mut program = Program::default();
        loop {
            self.skip_semicolons();
            let (before, start) = (self.at, self.peek());
            if start.kind == Kind::End {
                program.hidden = std::mem::take(&mut self.hidden);
                program.assigned = std::mem::take(&mut self.assigned);
                return program;
            }
            let is_first = program.body.is_empty();
            let read = if self.is("import") {
                if !is_first || !program.params.is_empty() {
                    self.error(
                        SyntaxErrorKind::Misplaced,
                        start.span,
                        "an import must stand before all other statements",
                    );
                }
                self.import().map(|import| program.imports.push(import))
            } else if self.is("param") {
                if !is_first {
                    let message = "a param must stand after the imports and before all other statements";
                    self.error(SyntaxErrorKind::Misplaced, start.span, message);
                }
                self.param().map(|param| program.params.push(param))
            } else {
                self.statement().map(|statement| program.body.push(statement))
            };
            self.end_of_statement(before, read.is_ok());
            if self.is("}") {
                // A brace without a block is one too many. It is reported, unless the statement just was.
                if read.is_ok() {
                    let _: Parsed<()> = self.expected("a statement");
                }
                self.at += 1;
            }
        }
    }

    /// Reports and skips tokens behind a statement that cannot belong to it.
    fn end_of_statement(&mut self, start: usize, was_read: bool) {
        let ends = self.is_semicolon() || self.peek().kind == Kind::End || self.is("}");
        if was_read && !ends {
            let _: Parsed<()> = self.expected("the end of the statement");
        }
        if !was_read || !ends {
            self.recover(start);
        }
    }

    fn import(&mut self) -> Parsed<Import> {
        self.at += 1;
        let token = self.peek();
        if token.kind != Kind::String {
            return self.expected("the name of an import in quotes");
        }
        self.at += 1;
        let path = literal::string(self.text(token)).unwrap_or_default();
        let path = String::from_utf8_lossy(&path).into_owned();
        let name = if self.eat("as") {
            self.name("a name after as")?
        } else {
            // The documentation does not say which name `import "a/b"` binds; here it is the last part of the path.
            let last = path.rsplit('/').next().unwrap_or_default();
            Name { text: last.into(), span: token.span }
        };
        Ok(Import { path, name })
    }

    fn param(&mut self) -> Parsed<Param> {
        self.at += 1;
        let name = self.name("the name of a parameter")?;
        let default = if self.eat("default") { Some(self.expression()?) } else { None };
        if let Some(default) = &default
            && !is_constant(default)
        {
            return self.fail(
                SyntaxErrorKind::Unexpected,
                default.span,
                "expected a literal as the default of a parameter",
            );
        }
        Ok(Param { name, default })
    }

    pub(super) fn block(&mut self) -> Parsed<Vec<Stmt>> {
        self.expect("{", "{")?;
        self.nested(|parser| {
            let statements = parser.statements(|parser| parser.is("}"));
            parser.expect("}", "} at the end of this block")?;
            Ok(statements)
        })
    }

    /// Parses statements up to their end, or the end of the text.
    fn statements(&mut self, ends: impl Fn(&Self) -> bool) -> Vec<Stmt> {
        let mut statements = Vec::new();
        loop {
            self.skip_semicolons();
            if self.peek().kind == Kind::End || ends(self) || self.is("}") {
                return statements;
            }
            let before = self.at;
            let read = self.statement().map(|statement| statements.push(statement));
            self.end_of_statement(before, read.is_ok());
            // A statement that could not be begun is skipped whole; this holds that the loop ends.
            self.at = self.at.max(before + usize::from(read.is_err() && !self.is("}")));
        }
    }

    fn statement(&mut self) -> Parsed<Stmt> {
        let start = self.peek();
        let word = if start.kind == Kind::Keyword { self.text(start) } else { "" };
        let kind = match word {
            "if" => self.if_statement()?,
            "for" => self.for_statement()?,
            "case" => self.case_statement()?,
            // Without a name it is a function literal, which an expression may begin with.
            "func" if self.ahead(1).kind == Kind::Ident => {
                self.at += 1;
                let name = self.name("the name of a function")?;
                self.assigned(&name);
                StmtKind::Func(name, Box::new(self.function()?))
            }
            "return" => {
                self.at += 1;
                if !self.in_function {
                    return self.fail(SyntaxErrorKind::Misplaced, start.span, "return outside of a function");
                }
                let ends = self.is_semicolon() || self.is("}");
                StmtKind::Return(if ends { None } else { Some(self.expression()?) })
            }
            "break" | "continue" => {
                self.at += 1;
                if !self.in_loop {
                    return self.fail(
                        SyntaxErrorKind::Misplaced,
                        start.span,
                        format!("{word} outside of a for loop"),
                    );
                }
                if word == "break" { StmtKind::Break } else { StmtKind::Continue }
            }
            "import" => {
                return self.fail(
                    SyntaxErrorKind::Misplaced,
                    start.span,
                    "an import must stand at the top of the file",
                );
            }
            "param" => {
                return self.fail(
                    SyntaxErrorKind::Misplaced,
                    start.span,
                    "a param must stand at the top of the file",
                );
            }
            _ => self.simple_statement()?,
        };
        Ok(Stmt { span: self.since(start.span), kind })
    }

    fn simple_statement(&mut self) -> Parsed<StmtKind> {
        let expr = self.expression()?;
        let token = self.peek();
        let op = match self.text(token) {
            "=" => None,
            "+=" => Some(BinaryOp::Add),
            "-=" => Some(BinaryOp::Subtract),
            "*=" => Some(BinaryOp::Multiply),
            "/=" => Some(BinaryOp::Divide),
            "%=" => Some(BinaryOp::Remainder),
            _ => return Ok(StmtKind::Expr(expr)),
        };
        if token.kind != Kind::Punct {
            return Ok(StmtKind::Expr(expr));
        }
        let span = expr.span;
        let Some(target) = target(expr) else {
            let sign = self.text(token);
            return self.fail(
                SyntaxErrorKind::Target,
                span,
                format!("expected a name or an index before {sign}, found another expression"),
            );
        };
        self.at += 1;
        if let Target::Name(name) = &target {
            self.assigned(name);
        }
        Ok(StmtKind::Assign { target, op, value: self.expression()? })
    }

    fn assigned(&mut self, name: &Name) {
        if !self.assigned.contains(&name.text) {
            self.assigned.insert(Arc::clone(&name.text));
        }
        if builtins::is_name(&name.text) && !self.hidden.contains(&name.text) {
            self.hidden.push(name.text.clone());
        }
    }

    fn if_statement(&mut self) -> Parsed<StmtKind> {
        let mut arms = Vec::new();
        let mut otherwise = None;
        loop {
            self.expect("if", "if")?;
            let condition = self.expression()?;
            arms.push((condition, self.block()?));
            // The clause may be on the next line.
            let mut ahead = 0;
            while self.ahead(ahead).kind == Kind::Semicolon && self.text(self.ahead(ahead)) != ";" {
                ahead += 1;
            }
            // Before a colon it is the clause of a `case` around.
            if !self.is_ahead(ahead, "else") || self.is_ahead(ahead + 1, ":") {
                break;
            }
            self.at += ahead + 1;
            if !self.is("if") {
                otherwise = Some(self.block()?);
                break;
            }
        }
        Ok(StmtKind::If { arms, otherwise })
    }

    fn for_statement(&mut self) -> Parsed<StmtKind> {
        self.at += 1;
        let closures = self.closures;
        let collection = self.expression()?;
        let mut names = self.names()?;
        let outer = std::mem::replace(&mut self.in_loop, true);
        let body = self.block();
        self.in_loop = outer;
        names.captured = self.closures > closures;
        Ok(StmtKind::For(Box::new(For { collection, names, body: body? })))
    }

    /// The names of a loop's elements.
    pub(super) fn names(&mut self) -> Parsed<Names> {
        self.expect("as", "as after this collection")?;
        let first = self.name("a name for the elements after as")?;
        let second = if self.eat(",") { Some(self.name("a second name for the elements")?) } else { None };
        Ok(Names { first, second, captured: false })
    }

    fn case_statement(&mut self) -> Parsed<StmtKind> {
        self.at += 1;
        let subject = if self.is("{") { None } else { Some(self.expression()?) };
        self.expect("{", "{ after case")?;
        self.nested(|parser| {
            let (mut arms, mut otherwise) = (Vec::new(), None);
            let ends = |parser: &Self| parser.is("when") || parser.is("else");
            loop {
                parser.skip_semicolons();
                if parser.eat("}") {
                    return Ok(StmtKind::Case { subject, arms, otherwise });
                } else if parser.eat("when") {
                    let mut values = vec![parser.expression()?];
                    while parser.eat(",") {
                        parser.skip_newlines();
                        values.push(parser.expression()?);
                    }
                    parser.expect(":", "a comma or : after this value")?;
                    arms.push((values, parser.statements(ends)));
                } else if otherwise.is_none() && parser.eat("else") {
                    parser.expect(":", ": after else")?;
                    otherwise = Some(parser.statements(ends));
                } else {
                    return parser.expected("when, else or } in this case");
                }
            }
        })
    }

    /// Parameters and body, after the word.
    pub(super) fn function(&mut self) -> Parsed<Func> {
        self.closures += 1;
        self.expect("(", "( and the parameters of the function")?;
        let mut params: Vec<Name> = Vec::new();
        loop {
            self.skip_newlines();
            if self.eat(")") {
                break;
            }
            let name = self.name("the name of a parameter or )")?;
            if params.iter().any(|other| other.text == name.text) {
                let message = format!("this function has two parameters called {}", name.text);
                self.error(SyntaxErrorKind::Duplicate, name.span, message);
            }
            params.push(name);
            self.skip_newlines();
            if !self.is(")") {
                self.expect(",", ", or ) in this list of parameters")?;
            }
        }
        // `break` in a function cannot end a loop around the function.
        let outer = (std::mem::replace(&mut self.in_function, true), std::mem::take(&mut self.in_loop));
        let body = self.block();
        (self.in_function, self.in_loop) = outer;
        body.map(|body| Func { params, body })
    }
}

/// The target that an expression is before `=`.
fn target(expr: Expr) -> Option<Target> {
    match expr.kind {
        ExprKind::Name(name) => Some(Target::Name(name)),
        ExprKind::Postfix(mut postfix) => {
            let part = postfix.parts.pop()?;
            let PostfixPartKind::Index(index) = part.kind else { return None };
            if postfix.parts.is_empty() {
                return Some(Target::Index { base: postfix.base, index });
            }
            let span = postfix.parts.iter().fold(postfix.base.span, |span, part| span.to(part.span));
            Some(Target::Index { base: Expr { span, kind: ExprKind::Postfix(postfix) }, index })
        }
        _ => None,
    }
}

/// Whether an expression is a literal, or a collection of such.
fn is_constant(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Undefined | ExprKind::Null | ExprKind::Bool(_) => true,
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::String(_) => true,
        ExprKind::Unary(_, operand) => matches!(operand.kind, ExprKind::Int(_) | ExprKind::Float(_)),
        ExprKind::Paren(inner) => is_constant(inner),
        ExprKind::List(items) => items.iter().all(is_constant),
        ExprKind::Map(entries) => entries.iter().all(|(key, value)| is_constant(key) && is_constant(value)),
        _ => false,
    }
}
