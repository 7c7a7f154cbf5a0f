//! Compiled policies: names are slots, conditions are in an order in which they can be evaluated.

use hashbrown::{HashMap, HashSet};

use crate::builtins::Builtin;
use crate::syntax::ast::Span;
use crate::value::Value;

/// A variable of a rule.
pub(crate) type Slot = u32;
pub(crate) type NodeId = u32;
pub(crate) type RuleId = u32;

/// A position in one of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SourcePlace {
    pub(crate) file: u32,
    pub(crate) span: Span,
}

/// A position in the tree of `data` where packages and rules are.
#[derive(Debug, Default)]
pub(crate) struct Node {
    pub(crate) path: Vec<String>,
    pub(crate) children: HashMap<String, NodeId>,
    /// The names of the children in the order of their text.
    pub(crate) names: Vec<String>,
    pub(crate) rule: Option<RuleId>,
    /// The first position above it that has a rule. The object of that rule may have members here as well, as
    /// with `p.a := 1` beside `p[x] := y`.
    pub(crate) above: Option<NodeId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RuleKind {
    /// One value.
    Complete,
    /// A set of members.
    Set,
    /// An object, of objects or sets within each other.
    Object,
    /// A function with this many parameters.
    Function(usize),
}

/// All definitions of one name.
#[derive(Debug)]
pub(crate) struct RuleSet {
    pub(crate) node: NodeId,
    pub(crate) kind: RuleKind,
    pub(crate) definitions: Vec<Definition>,
    pub(crate) default: Option<Box<Definition>>,
}

/// One definition without its head.
#[derive(Debug)]
pub(crate) struct Definition {
    pub(crate) place: SourcePlace,
    /// Another file has the definition word for word, such as a library that is loaded twice.
    pub(crate) is_copy: bool,
    /// The parameters of a function.
    pub(crate) params: Vec<Pattern>,
    pub(crate) slots: u32,
    pub(crate) branches: Vec<Branch>,
}

/// A body and the value if it holds; the next branch is that of `else`.
#[derive(Debug)]
pub(crate) struct Branch {
    pub(crate) ops: Vec<Op>,
    /// The variable parts of the path in the head.
    pub(crate) keys: Vec<Expr>,
    /// The value, or the member of a set.
    pub(crate) value: Expr,
    /// `value` is a member of a set.
    pub(crate) is_member: bool,
}

impl Branch {
    /// The steps after which the keys have values; all, if the keys are more than variables, parts of them and constants.
    pub(crate) fn until_keys(&self) -> &[Op] {
        let mut missing = HashSet::new();
        for key in &self.keys {
            let variable = match key {
                Expr::Get(base, keys, _) if keys.iter().all(|key| matches!(key, Expr::Const(_))) => base,
                key => key,
            };
            match variable {
                Expr::Const(_) => {}
                Expr::Local(slot) => _ = missing.insert(*slot),
                // A key such as `f(x)` may need any of the steps.
                _ => return &self.ops,
            }
        }
        let mut steps = 0;
        while !missing.is_empty()
            && let Some(op) = self.ops.get(steps)
        {
            op.each_bound(&mut |slot| _ = missing.remove(&slot));
            steps += 1;
        }
        &self.ops[..steps]
    }
}

#[derive(Debug)]
pub(crate) enum Expr {
    Const(Value),
    Local(Slot),
    Input,
    /// Everything at a position of `data`.
    Data(NodeId),
    /// A document in `data` where no rules are.
    Document(Box<[String]>),
    Get(Box<Expr>, Box<[Expr]>, SourcePlace),
    Array(Box<[Expr]>),
    Object(Box<[(Expr, Expr)]>),
    Set(Box<[Expr]>),
    Comprehension(Box<Comprehension>),
    Builtin(&'static Builtin, Box<[Expr]>, SourcePlace),
    Function(NodeId, Box<[Expr]>, SourcePlace),
    Compare(Comparison, Box<(Expr, Expr)>),
    /// Member and collection, and a key if there is one.
    Member(Box<(Expr, Expr)>, Option<Box<Expr>>),
    Template(Box<[PrintPart]>),
}

/// A part of printed text.
#[derive(Debug)]
pub(crate) enum PrintPart {
    Text(String),
    /// A value, or undefined.
    Value(Vec<Op>, Expr),
}

impl Comparison {
    /// How it is written.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Debug)]
pub(crate) struct Comprehension {
    pub(crate) kind: ComprehensionKind,
    pub(crate) ops: Vec<Op>,
    pub(crate) place: SourcePlace,
}

#[derive(Debug)]
pub(crate) enum ComprehensionKind {
    Array(Expr),
    Set(Expr),
    Object(Expr, Expr),
}

/// A step of a body.
#[derive(Debug)]
pub(crate) enum Op {
    /// Goes on unless it is false or undefined.
    Test(Expr, SourcePlace),
    Bind(Slot, Expr),
    Match(Pattern, Expr),
    /// Goes on for everything that the steps lead to.
    Scan {
        base: Expr,
        steps: Box<[ReferenceStep]>,
        out: Pattern,
        /// The members of the last collection that are of interest.
        join: Option<Join>,
        place: SourcePlace,
    },
    /// Goes on for each path and value within a value.
    Walk {
        value: Expr,
        out: Pattern,
    },
    Not(Vec<Op>),
    Every {
        domain: Expr,
        key: Option<Slot>,
        value: Slot,
        ops: Vec<Op>,
    },
    With {
        changes: Vec<Change>,
        ops: Vec<Op>,
    },
    Print(Vec<PrintPart>, SourcePlace),
    /// Counts that evaluation comes by here: the number of the mark.
    Mark(u32),
}

/// A place of a policy where evaluation may come by.
#[derive(Debug)]
pub(crate) struct Mark {
    pub(crate) place: SourcePlace,
    pub(crate) rule: RuleId,
    /// Which of the definitions of the rule it is in.
    pub(crate) definition: u32,
    /// It is behind the body: all conditions of a branch hold.
    pub(crate) is_head: bool,
    /// It is in a comprehension, or in the body of `every`.
    pub(crate) is_inner: bool,
    /// The first mark of its branch.
    pub(crate) first: u32,
    /// The terms of the condition that have one value. The head of a rule has none.
    pub(crate) terms: Vec<MarkedTerm>,
}

/// A term of a condition.
#[derive(Debug)]
pub(crate) struct MarkedTerm {
    pub(crate) span: Span,
    pub(crate) value: Expr,
    /// It has its value before the condition is evaluated, which otherwise binds a variable in it.
    pub(crate) is_bound: bool,
    /// The condition gives its value to a variable: `x := input.y`.
    pub(crate) is_named: bool,
}

impl Op {
    /// Calls with each variable that has a value after this step.
    pub(super) fn each_bound(&self, each: &mut dyn FnMut(Slot)) {
        match self {
            Self::Bind(slot, _) => each(*slot),
            Self::Match(pattern, _) | Self::Walk { out: pattern, .. } => pattern.each_bound(each),
            Self::Scan { steps, out, .. } => {
                for step in steps {
                    if let ReferenceStep::Each(pattern) = step {
                        pattern.each_bound(each);
                    }
                }
                out.each_bound(each);
            }
            Self::With { ops, .. } => ops.iter().for_each(|op| op.each_bound(each)),
            // Variables in a negation or in the body of `every` have values there alone.
            Self::Test(..) | Self::Not(_) | Self::Every { .. } | Self::Print(..) | Self::Mark(_) => {}
        }
    }
}

impl Pattern {
    fn each_bound(&self, each: &mut dyn FnMut(Slot)) {
        match self {
            Self::Any | Self::Equal(_) => {}
            Self::Bind(slot) => each(*slot),
            Self::Array(parts) => parts.iter().for_each(|part| part.each_bound(each)),
            Self::Object(parts) => parts.iter().for_each(|(_, part)| part.each_bound(each)),
        }
    }
}

/// Members of interest: their value under these keys equals a value that is known before the search.
#[derive(Debug)]
pub(crate) struct Join {
    pub(crate) keys: Box<[String]>,
    pub(crate) wanted: Wanted,
}

#[derive(Debug)]
pub(crate) enum Wanted {
    Constant(Value),
    Local(Slot),
}

#[derive(Debug)]
pub(crate) enum ReferenceStep {
    Key(Expr),
    Each(Pattern),
}

#[derive(Debug)]
pub(crate) enum Pattern {
    Any,
    Bind(Slot),
    Equal(Expr),
    Array(Box<[Pattern]>),
    Object(Box<[(Expr, Pattern)]>),
}

/// A replacement by `with`.
#[derive(Debug)]
pub(crate) enum Change {
    Input(Vec<String>, Expr),
    Data(Vec<String>, Expr),
    Function(FunctionKey, Replacement),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum FunctionKey {
    Builtin(&'static str),
    Node(NodeId),
}

#[derive(Debug)]
pub(crate) enum Replacement {
    Value(Expr),
    Function(FunctionKey),
}

/// A read of `data` where no rule is.
#[derive(Debug, Clone)]
pub(crate) struct DataReference {
    pub(crate) path: Vec<String>,
    pub(crate) place: SourcePlace,
}
