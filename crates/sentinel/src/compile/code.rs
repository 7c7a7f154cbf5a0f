//! The compiled form of a policy: instructions for a stack machine, with variables in slots.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::Constant;
use crate::syntax::ast::{BinaryOp, Test, UnaryOp};
use crate::value::{MemberName, Native, Text, Value};

/// An instruction. It takes its operands from the top of the stack, and pushes its result.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    Undefined,
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    /// A text of the unit.
    Text(u32),
    /// A constant of the unit: a list or map of literals.
    Constant(u32),
    /// A list or map of the file that is built only once, because nothing here can change or keep it.
    Shared(u32),
    /// Compares the operand with a text of the unit: equal if true, else not equal.
    IsText(u32, bool),
    /// A variable, by its access.
    Load(u32),
    Store(u32),
    /// Takes the variable's old value and another one, and stores the result.
    Augment(u32, BinaryOp),
    /// Copies the two values on top.
    CopyTwo,
    /// Takes a collection and a key.
    Index,
    /// Takes a value, a collection and a key.
    StoreIndex,
    /// Takes a value, a collection, a key and the old value.
    AugmentIndex(BinaryOp),
    /// Loads a variable whose member the next instruction takes. For a map it loads the member directly.
    LoadMember(u32, u32),
    /// A member of the operand, by its name.
    Member(u32),
    /// A member of an import of the file, by its name.
    ImportMember(u32, u32),
    /// Takes the sliced value, and the bounds that are given.
    Slice {
        low: bool,
        high: bool,
    },
    /// Takes the callee and this many arguments. The second part tells whether the causes of a false answer are kept.
    Call(u32, bool),
    List(u32),
    Map(u32),
    Closure(u32),
    Rule(u32),
    Unary(UnaryOp),
    Binary(BinaryOp),
    /// Takes a value and a map. True tests whether the value is a key of the map, false whether it is not.
    InKeys(bool),
    Test(Test, bool),
    /// Keeps the left side, and jumps if it settles the result.
    And(u32),
    /// Keeps the left side, and jumps if it is true.
    Or(u32),
    /// Takes both sides.
    OrEnd,
    /// Takes both sides of `and`. The right one must be a bool or undefined.
    AndEnd,
    /// Keeps the left side, and jumps unless it is undefined.
    Else(u32),
    /// Takes both sides; the left one is undefined.
    ElseEnd,
    Jump(u32),
    /// Takes a condition, and jumps unless it is true.
    Unless(u32),
    /// Takes a value. If it equals the subject below it, takes that too and jumps.
    When(u32),
    /// Takes the predicate of a rule, and ends the rule unless it is true.
    Predicate,
    /// Takes a collection, and begins to walk it.
    Begin(u32),
    /// The next element, or the end.
    Next(u32),
    /// Takes the body's answer for an element.
    Collect(u32),
    /// Leaves a loop early.
    Break(u32),
    Pop,
    Return,
    /// Remembers the collection on top for an emptiness test.
    Hold,
    /// Makes the remembered collection the cause of the answer on top, if that answer is to be explained.
    HeldBy(Blame),
    /// Drops the causes found since an instruction, unless the answer on top is to be explained.
    Settle(Blame, u32),
    /// Restores the causes of the value on top, which was read from a variable. If `force` is set, a rule is evaluated.
    Recall {
        access: u32,
        blame: Blame,
        force: bool,
    },
    /// The condition on top chooses a block that sets a variable to false. The causes of the condition become those
    /// of the variable.
    Guard(Blame, u32),
    /// Marks the variable that gets the value on top as false. Its causes are the elements of the enclosing loops, and
    /// the conditions.
    Falsify,
    /// Begins to load an import of the file.
    Import(u32),
    /// Pushes the argument for a parameter and jumps over its default. Without argument and default it fails.
    Param {
        name: u32,
        default: bool,
        to: u32,
    },
    /// Fails with a text.
    Fail(u32),
}

/// The answers of an expression that may make its rule false or undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blame {
    Nothing,
    False,
    True,
}

impl Blame {
    /// The answers to explain under a negation.
    pub(crate) fn inverse(self) -> Blame {
        match self {
            Blame::Nothing => Blame::Nothing,
            Blame::False => Blame::True,
            Blame::True => Blame::False,
        }
    }

    /// Whether this answer is to be explained.
    pub(crate) fn is_on(self, answer: &Value) -> bool {
        match answer.seen() {
            Value::Undefined(_) => self != Blame::Nothing,
            Value::Bool(true) => self == Blame::True,
            Value::Bool(false) => self == Blame::False,
            _ => false,
        }
    }
}

/// The kind of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnitKind {
    File,
    Function,
    Rule,
}

/// A file, function or rule.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) kind: UnitKind,
    /// Its place in the text.
    pub(crate) place: u32,
    /// The name that it is assigned to at the top of its file.
    pub(crate) name: Option<Arc<str>>,
    pub(crate) params: u32,
    pub(crate) slots: u32,
    /// Whether a function or rule that captures its variables may outlive it.
    pub(crate) captured: bool,
    pub(crate) ops: Vec<Op>,
    /// The place of each instruction in the text.
    // Separate from the instructions, because a run needs a place only for errors and undefined values.
    pub(crate) places: Vec<u32>,
    pub(crate) texts: Vec<Text>,
    pub(crate) names: Vec<MemberName>,
    pub(crate) constants: Vec<(Constant, usize)>,
    pub(crate) accesses: Vec<Access>,
    pub(crate) loops: Vec<Loop>,
    /// The branches of statements, by the instruction of their condition.
    pub(crate) branches: BTreeMap<u32, Branch>,
    /// Places where lists and maps are changed: calls of `append` and `delete`, by the instruction that
    /// loads them, and assignments to an index. The value is the variable that holds the collection, if
    /// there is one.
    pub(crate) changes: BTreeMap<u32, Option<u32>>,
    /// The instructions of blocks that have causes of their own.
    pub(crate) guards: Vec<Range<u32>>,
    pub(crate) units: Vec<Arc<Unit>>,
}

/// The instructions that a condition of a statement chooses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Branch {
    /// The first instruction after the statement.
    pub(crate) end: u32,
    pub(crate) leaves: Leaves,
}

/// The construct that a block may leave before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Leaves {
    Nothing,
    /// The loop around it.
    Loop,
    /// The function.
    Function,
}

/// A variable: the scopes where its name may be declared, from the inside out.
#[derive(Debug)]
pub(crate) struct Access {
    pub(crate) name: Arc<str>,
    /// The name refers to the first candidate that is declared. If none is, an assignment declares the first.
    pub(crate) candidates: Vec<Slot>,
    /// The builtin of this name, used if no scope declares the name.
    pub(crate) builtin: Option<&'static Native>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// The number of scopes outwards.
    pub(crate) hops: u32,
    pub(crate) slot: u32,
}

/// The description of a loop or quantifier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loop {
    pub(crate) kind: LoopKind,
    /// The answers that are explained.
    pub(crate) blame: Blame,
    /// The slots of an element's names, if they are read anywhere.
    pub(crate) first: Option<u32>,
    pub(crate) second: Option<u32>,
    /// Whether an element has two names.
    pub(crate) two: bool,
    /// The slots of the variables that the body declares, in the scope around. They are new for each
    /// element.
    pub(crate) declared: (u32, u32),
    /// The number of slots in a scope of each element's own, if functions or rules may outlive the element.
    pub(crate) own_scope: Option<u32>,
    /// The instruction that takes the next element, and the one after the loop.
    pub(crate) next: u32,
    pub(crate) done: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoopKind {
    For,
    Any,
    All,
    Filter,
    Map,
}
