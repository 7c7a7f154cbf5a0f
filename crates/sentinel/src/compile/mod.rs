//! Compiles the syntax tree: names become slots, operators and loops become jumps.

mod blame;
mod code;
mod constant;
mod expression;
mod purity;
mod scope;
mod statement;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

pub(crate) use code::{Blame, Branch, Leaves, Loop, LoopKind, Op, Slot, Unit, UnitKind};
pub(crate) use constant::Constant;
use scope::Scopes;

use crate::syntax::ast::{Expr, ExprKind, Name, Program};
use crate::value::{MemberName, Text};

/// A file that can be run.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) unit: Arc<Unit>,
    /// The slots of the names at the top.
    pub(crate) names: HashMap<Arc<str>, u32>,
    /// The imports, in order.
    pub(crate) imports: Vec<String>,
    /// Whether its functions and rules only change their own variables.
    pub(crate) is_pure: bool,
    /// Literals that are made once in a run.
    pub(crate) shared: Vec<Constant>,
}

struct Compiler {
    scopes: Scopes,
    /// The innermost open unit.
    open: OpenUnit,
    /// The open units around it.
    around: Vec<OpenUnit>,
    /// The local names of imports, with their places in the list.
    imports: HashMap<Arc<str>, u32>,
    shared: Vec<Constant>,
    /// How many instructions so far may have causes.
    explaining: usize,
}

/// A unit that is not finished.
struct OpenUnit {
    unit: Unit,
    /// The loops around the next instruction.
    loops: Vec<u32>,
    /// How many of the blocks around have causes of their own.
    guarded: usize,
}

pub(crate) fn compile(program: &Program) -> Compiled {
    let mut compiler = Compiler {
        scopes: Scopes::default(),
        open: OpenUnit::new(UnitKind::File, 0),
        around: Vec::new(),
        imports: HashMap::new(),
        shared: Vec::new(),
        explaining: 0,
    };
    compiler.scopes.open_frame();
    compiler.scopes.open();
    for (index, import) in program.imports.iter().enumerate() {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        compiler.imports.insert(Arc::clone(&import.name.text), index);
        compiler.scopes.imports.insert(Arc::clone(&import.name.text));
        compiler.emit(import.name.span.start, Op::Import(index));
    }
    for name in &program.hidden {
        compiler.scopes.may_declare(name);
    }
    // A variable that only a function assigns may be a global of the host. It becomes a variable of the
    // file.
    for name in program.assigned.iter().filter(|name| !compiler.imports.contains_key(*name)) {
        compiler.scopes.may_declare(name);
    }
    for param in &program.params {
        compiler.scopes.may_declare(&param.name.text);
    }
    compiler.scopes.may_declare_all(&program.body);
    for param in &program.params {
        compiler.param(param);
    }
    compiler.statements(&program.body);
    // A file is a unit like a function. Its result is not used.
    compiler.emit(0, Op::Undefined);
    compiler.emit(0, Op::Return);
    let names = compiler.scopes.names().collect();
    let unit = compiler.close_unit();
    let imports = program.imports.iter().map(|import| import.path.clone()).collect();
    let is_pure = unit.is_pure_within();
    Compiled { unit: Arc::new(unit), names, imports, is_pure, shared: compiler.shared }
}

impl OpenUnit {
    fn new(kind: UnitKind, place: u32) -> Self {
        let unit = Unit {
            kind,
            place,
            name: None,
            params: 0,
            slots: 0,
            captured: kind == UnitKind::File,
            ops: Vec::new(),
            places: Vec::new(),
            texts: Vec::new(),
            names: Vec::new(),
            constants: Vec::new(),
            accesses: Vec::new(),
            loops: Vec::new(),
            branches: BTreeMap::new(),
            changes: BTreeMap::new(),
            guards: Vec::new(),
            units: Vec::new(),
        };
        Self { unit, loops: Vec::new(), guarded: 0 }
    }
}

impl Compiler {
    fn open_unit(&mut self, kind: UnitKind, place: u32) {
        self.scopes.open_frame();
        self.around.push(std::mem::replace(&mut self.open, OpenUnit::new(kind, place)));
    }

    /// Closes the current unit and continues the one around it, if there is one.
    fn close_unit(&mut self) -> Unit {
        let slots = self.scopes.close_frame();
        let outer = self.around.pop().unwrap_or_else(|| OpenUnit::new(UnitKind::File, 0));
        let OpenUnit { unit, .. } = std::mem::replace(&mut self.open, outer);
        Unit { slots, ..unit }
    }

    fn unit(&mut self) -> &mut Unit {
        &mut self.open.unit
    }

    /// The index of an instruction that will come next.
    fn here(&mut self) -> u32 {
        index_of(self.unit().ops.len())
    }

    fn emit(&mut self, place: u32, op: Op) -> u32 {
        let unit = self.unit();
        unit.ops.push(op);
        unit.places.push(place);
        index_of(unit.ops.len() - 1)
    }

    /// Lets a jump that was emitted go to the next instruction.
    fn land(&mut self, jump: u32) {
        let here = self.here();
        match &mut self.unit().ops[jump as usize] {
            Op::And(to)
            | Op::Or(to)
            | Op::Else(to)
            | Op::Jump(to)
            | Op::Unless(to)
            | Op::When(to)
            | Op::Param { to, .. } => *to = here,
            _ => {}
        }
    }

    fn text(&mut self, text: Text) -> u32 {
        let unit = self.unit();
        unit.texts.push(text);
        index_of(unit.texts.len() - 1)
    }

    fn member_name(&mut self, name: &Arc<str>) -> u32 {
        let unit = self.unit();
        unit.names.push(MemberName::new(name));
        index_of(unit.names.len() - 1)
    }

    /// Emits a literal as a constant, if it is worth one.
    fn constant(&mut self, expr: &Expr) -> bool {
        let Some(constant) = Constant::from_expr(expr) else { return false };
        let size = constant.size();
        let unit = self.unit();
        unit.constants.push((constant, size));
        let index = index_of(unit.constants.len() - 1);
        self.emit(expr.span.start, Op::Constant(index));
        true
    }

    /// Compiles an operand that is read once and then dropped. A literal list or map of literals is shared
    /// by all readers, if they cannot change it.
    fn operand(&mut self, expr: &Expr, is_walked: bool) {
        let is_plain = |constant: &Constant| !matches!(constant, Constant::List(_) | Constant::Map(_));
        let constant = match &expr.kind {
            ExprKind::List(_) => Constant::from_expr(expr),
            ExprKind::Map(_) if !is_walked => Constant::from_expr(expr),
            _ => None,
        };
        match constant {
            // A loop gives its elements names, and a list or map among them could be changed through its
            // name.
            Some(Constant::List(items)) if is_walked && !items.iter().all(is_plain) => self.expression(expr),
            Some(constant) => {
                self.shared.push(constant);
                let index = index_of(self.shared.len() - 1);
                self.emit(expr.span.start, Op::Shared(index));
            }
            None => self.expression(expr),
        }
    }

    fn access(&mut self, name: &Name) -> u32 {
        let access = self.scopes.find(&name.text);
        let unit = self.unit();
        unit.accesses.push(access);
        index_of(unit.accesses.len() - 1)
    }

    /// The import that a name means, unless a variable hides it.
    fn import(&self, name: &Name) -> Option<u32> {
        let index = self.imports.get(&name.text)?;
        self.scopes.find(&name.text).candidates.is_empty().then_some(*index)
    }

    /// Puts a function or rule into the unit around it.
    fn close_inner(&mut self) -> u32 {
        let inner = self.close_unit();
        let unit = self.unit();
        unit.captured = true;
        unit.units.push(Arc::new(inner));
        index_of(unit.units.len() - 1)
    }
}

/// Fits, because a text is shorter than 4 GiB, and no list is longer than its text.
fn index_of(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
