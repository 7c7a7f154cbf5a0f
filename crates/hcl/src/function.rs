//! Functions and the rules of a call: which arguments reach the implementation, and which answers need no
//! implementation, as `cty`'s `function.Function.Call` has them.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use hashbrown::HashMap;
use objchange::value::{ConvertError, Marks, Refinements};
use objchange::{Type, Value};
use smol_str::SmolStr;

use crate::Sources;
use crate::coverage::Coverage;
use crate::functions::{BaseDirectory, PatternCache};
use objchange_text::FunctionSignature;

/// The maximum number of expressions to evaluate in one evaluation; each run of a loop counts. No configuration needs
/// as many, and time and memory stay bounded.
pub(crate) const MAX_STEPS: u64 = 1 << 23;

/// A function of the configuration language, as data: its parameters, its result type and its implementation.
///
/// The rules that hold for all functions are in [`call`](Self::call), so an implementation sees only what its
/// parameters say that it can handle: by default arguments that are known, not null, of a known type and
/// without marks at any depth.
///
/// ```
/// use objchange::value::Refinements;
/// use objchange::{Type, Value};
/// use objchange_hcl::{Function, Parameter};
///
/// let double = Function::new([Parameter::new("n", Type::Number)], Type::Number, |arguments, _| {
///     let n = arguments[0].as_number().cloned().unwrap_or_default();
///     Ok(Value::from(n.try_add(&n)?))
/// });
/// assert_eq!(double.call(vec![Value::from(2)])?, Value::from(4));
/// assert_eq!(double.call(vec![Value::from(2).sensitive()])?, Value::from(4).sensitive());
///
/// // The closure never sees unknown arguments: the result is unknown, and not null.
/// let unknown = double.call(vec![Value::unknown(Type::Number)])?;
/// assert_eq!(unknown, Value::refined_unknown(Type::Number, Refinements::not_null())?);
/// assert_eq!(double.call(vec![Value::null(Type::Number)]).unwrap_err().argument, Some(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Function {
    parameters: Vec<Parameter>,
    variadic: Option<Parameter>,
    result: ResultType,
    nullable: bool,
    reach: Capability,
    glances: bool,
    body: Body,
}

/// The kind of the error of a function that reads files, where no directory of files is given.
pub const NO_DIRECTORY: &str = "no_directory";

/// The kind of the error that a file or module is outside of the directories that may be read.
pub const OUTSIDE_DIRECTORIES: &str = "outside_directories";

/// Things that a function reads besides its arguments, least first. A template that is read from a file may render no
/// other template; one that is a string may read no file, either.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Capability {
    /// Nothing.
    Arguments,
    /// Files.
    Files,
    /// Files that are templates.
    Templates,
}

/// The limits and caches that a call shares with the evaluation around it.
pub(crate) struct CallContext {
    /// The steps that the evaluation may still spend.
    pub(crate) steps_left: u64,
    pub(crate) patterns: PatternCache,
}

impl Default for CallContext {
    fn default() -> Self {
        Self { steps_left: MAX_STEPS, patterns: PatternCache::default() }
    }
}

impl CallContext {
    /// Pays for something that a call does beyond reading its arguments and making its answer.
    pub(crate) fn spend(&mut self, steps: u64) {
        self.steps_left = self.steps_left.saturating_sub(steps);
    }
}

type Body = Arc<dyn Fn(&[Value], &Type, &mut CallContext) -> Result<Value, FunctionError> + Send + Sync>;
type TypeOf = Arc<dyn Fn(&[Value]) -> Result<Type, FunctionError> + Send + Sync>;

/// The type of a function's result.
#[derive(Clone)]
enum ResultType {
    Fixed(Type),
    /// It depends on the arguments; marks are off, but arguments may be unknown.
    Computed(TypeOf),
}

/// One parameter of a [`Function`]: its type, and what its implementation can handle.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// The name, for messages.
    pub name: SmolStr,
    /// The type that an argument is converted to. [`Type::Dynamic`] takes anything as it is; a list, set or
    /// map of dynamic takes any collection whose elements have a type in common.
    pub ty: Type,
    /// The implementation handles null.
    pub allow_null: bool,
    /// The implementation handles an argument that is itself unknown. Unknown *parts* of arguments reach every
    /// implementation.
    pub allow_unknown: bool,
    /// The implementation handles an argument of unknown type. Matters only where the parameter takes any type.
    pub allow_dynamic: bool,
    /// The implementation handles marks, at any depth, and says which the result has.
    pub allow_marked: bool,
}

impl Parameter {
    /// A parameter of this type that takes nothing that is special.
    pub fn new(name: impl Into<SmolStr>, ty: Type) -> Self {
        Self {
            name: name.into(),
            ty,
            allow_null: false,
            allow_unknown: false,
            allow_dynamic: false,
            allow_marked: false,
        }
    }

    /// Lets null reach the implementation.
    #[must_use]
    pub fn null(self) -> Self {
        Self { allow_null: true, ..self }
    }

    /// Lets unknown arguments reach the implementation.
    #[must_use]
    pub fn unknown(self) -> Self {
        Self { allow_unknown: true, ..self }
    }

    /// Lets arguments of unknown type reach the implementation.
    #[must_use]
    pub fn dynamic(self) -> Self {
        Self { allow_dynamic: true, ..self }
    }

    /// Lets marked arguments reach the implementation.
    #[must_use]
    pub fn marked(self) -> Self {
        Self { allow_marked: true, ..self }
    }
}

/// Why a function gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct FunctionError {
    /// The argument that is wrong, by position from 0; `None` if it is the call as a whole.
    pub argument: Option<usize>,
    /// The problem, a sentence without a full stop. It may quote arguments. If an argument is sensitive,
    /// [`Function::call`] removes the sentence; if it is an element of a sensitive collection, the evaluator does.
    pub message: Cow<'static, str>,
    /// [`NO_DIRECTORY`] or [`OUTSIDE_DIRECTORIES`], if files may not be read.
    pub refused: Option<&'static str>,
}

impl FunctionError {
    /// The call as a whole failed.
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Self { argument: None, message: message.into(), refused: None }
    }

    /// A stable name of this sort of error.
    pub fn kind(&self) -> &'static str {
        self.refused.unwrap_or(if self.argument.is_some() { "invalid_argument" } else { "call_failed" })
    }

    /// This argument, by position from 0, is wrong.
    pub fn argument(position: usize, message: impl Into<Cow<'static, str>>) -> Self {
        Self { argument: Some(position), ..Self::new(message) }
    }
}

impl From<objchange::value::ArithmeticError> for FunctionError {
    fn from(error: objchange::value::ArithmeticError) -> Self {
        Self::new(error.to_string())
    }
}

impl Function {
    /// A function with these parameters that answers a value of this type, never null.
    ///
    /// The implementation gets one argument for each parameter, then the variadic ones, and the result type that
    /// [`call`](Self::call) computed.
    pub fn new(
        parameters: impl IntoIterator<Item = Parameter>,
        result: Type,
        body: impl Fn(&[Value], &Type) -> Result<Value, FunctionError> + Send + Sync + 'static,
    ) -> Self {
        let function =
            Self::spending(parameters, |_| Ok(Type::Dynamic), move |arguments, ty, _| body(arguments, ty));
        Self { result: ResultType::Fixed(result), ..function }
    }

    /// A function whose result type depends on the arguments. `result` sees them without marks where the parameter
    /// takes none; they may be unknown. [`Type::Dynamic`] says that the type is not known before the answer.
    pub fn typed_by(
        parameters: impl IntoIterator<Item = Parameter>,
        result: impl Fn(&[Value]) -> Result<Type, FunctionError> + Send + Sync + 'static,
        body: impl Fn(&[Value], &Type) -> Result<Value, FunctionError> + Send + Sync + 'static,
    ) -> Self {
        Self::spending(parameters, result, move |arguments, ty, _| body(arguments, ty))
    }

    /// Like [`typed_by`](Self::typed_by), for an implementation that does more than its arguments and its
    /// answer tell, or keeps something for later calls of the evaluation.
    pub(crate) fn spending(
        parameters: impl IntoIterator<Item = Parameter>,
        result: impl Fn(&[Value]) -> Result<Type, FunctionError> + Send + Sync + 'static,
        body: impl Fn(&[Value], &Type, &mut CallContext) -> Result<Value, FunctionError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            parameters: parameters.into_iter().collect(),
            variadic: None,
            result: ResultType::Computed(Arc::new(result)),
            nullable: false,
            reach: Capability::Arguments,
            glances: false,
            body: Arc::new(body),
        }
    }

    /// Declares that the cost of a call does not depend on the size of its arguments, because it reads only their top.
    #[must_use]
    pub(crate) fn glancing(self) -> Self {
        Self { glances: true, ..self }
    }

    /// Whether a call reads all of an argument.
    pub(crate) fn reads(&self, position: usize, argument: &Value) -> bool {
        let takes_marks = self.parameter(position).is_some_and(|parameter| parameter.allow_marked);
        !self.glances || argument.ty().is_primitive() || argument.contains_marked() && !takes_marks
    }

    /// Adds a parameter that takes any number of further arguments.
    #[must_use]
    pub fn variadic(self, parameter: Parameter) -> Self {
        Self { variadic: Some(parameter), ..self }
    }

    /// Makes the result unknown while the type of a further argument is unknown, untyped nulls included.
    #[must_use]
    fn needing_types(self) -> Self {
        Self { variadic: self.variadic.map(|more| Parameter { allow_dynamic: false, ..more }), ..self }
    }

    /// Declares that the result may be null: an unknown result is then not refined to "not null".
    #[must_use]
    pub fn nullable(self) -> Self {
        Self { nullable: true, ..self }
    }

    /// Declares the input that the function reads besides its arguments.
    #[must_use]
    pub fn reaching(self, reach: Capability) -> Self {
        Self { reach, ..self }
    }

    /// The input that the function reads besides its arguments.
    pub fn reach(&self) -> Capability {
        self.reach
    }

    /// The parameters that have a place of their own.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The parameter for all further arguments, if there may be any.
    pub fn variadic_parameter(&self) -> Option<&Parameter> {
        self.variadic.as_ref()
    }

    /// The parameter that an argument is for; `None` if there are too many arguments.
    pub fn parameter(&self, position: usize) -> Option<&Parameter> {
        self.parameters.get(position).or(self.variadic.as_ref())
    }

    /// Returns the signature for errors about a call.
    pub(crate) fn called(&self, name: &str) -> FunctionSignature {
        let json = |ty: &Type| serde_json::to_string(ty).unwrap_or_else(|_| "\"dynamic\"".to_owned());
        let named_type = |parameter: &Parameter| (parameter.name.to_string(), json(&parameter.ty));
        let result = match &self.result {
            ResultType::Fixed(ty) => ty.clone(),
            // The type for wholly unknown arguments, as far as it is fixed.
            ResultType::Computed(compute) => {
                let unknown = |parameter: &Parameter| Value::unknown(parameter.ty.clone());
                let arguments: Vec<Value> = self.parameters.iter().map(unknown).collect();
                compute(&arguments).unwrap_or(Type::Dynamic)
            }
        };
        FunctionSignature {
            name: name.to_owned(),
            parameters: self.parameters.iter().map(named_type).collect(),
            variadic: self.variadic.as_ref().map(named_type),
            result: json(&result),
        }
    }

    /// Calls the function with arguments that are converted to the types of their parameters, as many as it takes.
    ///
    /// From the first argument to the last: marks are taken off, at every depth, and put on the result; null is an
    /// error; a value of unknown type makes the result one, and nothing further is looked at. Then the type of
    /// the result is found, and if an argument is unknown the result is an unknown of that type. Each of these
    /// only where the parameter does not say that the implementation handles it.
    ///
    /// # Errors
    ///
    /// An argument is null, or the implementation refuses the arguments. Where one of them is marked, the message
    /// does not quote them.
    pub fn call(&self, arguments: Vec<Value>) -> Result<Value, FunctionError> {
        self.call_with(arguments, &mut CallContext::default())
    }

    /// Like [`call`](Self::call), in an evaluation.
    pub(crate) fn call_with(
        &self,
        mut arguments: Vec<Value>,
        context: &mut CallContext,
    ) -> Result<Value, FunctionError> {
        let mut marks = Marks::NONE;
        let mut all_marks = Marks::NONE;
        // As `function.Function.Call` of go-cty: left to right, and the first argument of unknown type ends the checks,
        // so later nulls are no errors.
        let mut is_dynamic = false;
        for (i, argument) in arguments.iter_mut().enumerate() {
            let Some(parameter) = self.parameter(i) else {
                return Err(FunctionError::argument(i, "the function takes fewer arguments"));
            };
            if argument.contains_marked() {
                all_marks |= argument.marks_deep();
                // Deep: a mark on any part of an argument may reach any part of the result.
                if !parameter.allow_marked {
                    let (plain, found) = argument.unmark_deep();
                    *argument = plain;
                    marks |= found;
                }
            }
            if is_dynamic {
                continue;
            }
            if argument.is_null() && !parameter.allow_null {
                return Err(FunctionError::argument(i, "argument must not be null"));
            }
            is_dynamic = *argument.ty() == Type::Dynamic && !parameter.allow_dynamic;
        }
        if is_dynamic {
            // An answer of unknown type is not even refined to "not null".
            return Ok(Value::unknown(Type::Dynamic).with_marks(marks));
        }
        let result = self.answer(&arguments, context);
        match result {
            Ok(value) => Ok(value.with_marks(marks)),
            // A message that is part of the program (`Borrowed`) cannot quote a marked value.
            Err(error)
                if all_marks.without(Marks::INVENTED).is_empty()
                    || matches!(error.message, Cow::Borrowed(_)) =>
            {
                Err(error)
            }
            Err(error) => Err(FunctionError {
                message: "the arguments are wrong, and one is sensitive".into(),
                ..error
            }),
        }
    }

    fn answer(&self, arguments: &[Value], context: &mut CallContext) -> Result<Value, FunctionError> {
        let ty = match &self.result {
            ResultType::Fixed(ty) => ty.clone(),
            ResultType::Computed(compute) => compute(arguments)?,
        };
        // Only the argument itself counts: unknown parts of known arguments reach the implementation.
        let is_unknown = arguments.iter().enumerate().any(|(i, argument)| {
            !argument.is_known() && self.parameter(i).is_some_and(|parameter| !parameter.allow_unknown)
            // See `Parameter::allow_unknown`: the others never see one.
        });
        let value = if is_unknown { Value::unknown(ty) } else { (self.body)(arguments, &ty, context)? };
        Ok(if self.nullable { value } else { not_null(value) })
    }

    /// Converts an argument to the type of its parameter.
    ///
    /// # Errors
    ///
    /// The value does not convert.
    pub fn convert(&self, position: usize, argument: &Value) -> Result<Value, ConvertError> {
        match self.parameter(position) {
            Some(parameter) => argument.convert(&parameter.ty),
            None => Ok(argument.clone()),
        }
    }
}

/// Promises of an unknown value that it will not be null. Other values stay as they are.
///
/// ```
/// use objchange::{Type, Value};
///
/// let promised = objchange_hcl::not_null(Value::unknown(Type::String));
/// assert!(promised.refinements().unwrap().not_null);
/// ```
pub fn not_null(value: Value) -> Value {
    match value.refinements() {
        Some(refinements) if !refinements.not_null => {
            let refinements = Refinements { not_null: true, ..refinements.clone() };
            let refined = Value::refined_unknown(value.ty().clone(), refinements);
            refined.map_or_else(|_| value.clone(), |refined| refined.with_marks(value.marks()))
        }
        _ => value,
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.parameters.iter().map(|p| &p.name);
        f.debug_list().entries(names.chain(self.variadic.iter().map(|p| &p.name))).finish()
    }
}

/// Functions by name. A clone copies the table, not the functions.
#[derive(Debug, Clone, Default)]
pub struct Functions {
    by_name: HashMap<SmolStr, Function>,
    has_providers: bool,
    /// The version of Terraform whose language this is; `None` for the newest.
    version: Option<(u32, u32)>,
    /// The set is empty: even `try`, `can` and the template functions are missing.
    is_bare: bool,
    coverage: Option<Arc<Coverage>>,
    sources: Option<Sources>,
    /// The directories that the file functions read from.
    pub(crate) base: Option<Arc<BaseDirectory>>,
}

impl Functions {
    /// Adds a function, or replaces the one of this name. A name may have a namespace: `provider::aws::arn_parse`.
    pub fn insert(&mut self, name: impl Into<SmolStr>, function: Function) {
        self.by_name.insert(name.into(), function);
    }

    /// Leaves out a function.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.by_name.remove(name);
        self
    }

    /// Treats names with a namespace as functions of providers, as in a module: errors about missing functions differ.
    #[must_use]
    pub fn in_module(self) -> Self {
        Self { has_providers: true, ..self }
    }

    /// Treats names with a namespace like all others, as in test files, which may call functions of providers.
    #[must_use]
    pub fn outside_of_modules(self) -> Self {
        Self { has_providers: false, ..self }
    }

    /// Counts which branches of conditional expressions are taken.
    #[must_use]
    pub fn recording(self, coverage: Arc<Coverage>) -> Self {
        Self { coverage: Some(coverage), ..self }
    }

    /// Names the places of errors in these files where one error is about several expressions, as that of `try` is.
    ///
    /// ```
    /// use objchange_hcl::{Functions, Scope, Sources, Variables, evaluate, parse_expression};
    ///
    /// let sources = Sources::from_text("main.tf", "try([][0])").unwrap();
    /// let expr = parse_expression("try([][0])").unwrap();
    /// let functions = Functions::pure().clone().naming_places(sources);
    /// let (_, errors) = evaluate(&expr, &Scope::new(&Variables::default()), &functions);
    /// assert!(errors[0].detail.contains("- Invalid index (at main.tf:1,7-10)"));
    /// ```
    #[must_use]
    pub fn naming_places(self, sources: Sources) -> Self {
        Self { sources: Some(sources), ..self }
    }

    pub(crate) fn sources(&self) -> Option<&Sources> {
        self.sources.as_ref()
    }

    /// Where it is counted what is reached, if anywhere.
    pub fn coverage(&self) -> Option<&Coverage> {
        self.coverage.as_deref()
    }

    pub(crate) fn has_providers(&self) -> bool {
        self.has_providers
    }

    /// The functions and operators as a version of Terraform has them, of whose number these are the first two parts:
    /// `(1, 15)`. `convert` came with 1.15; before 1.16 `contains` refuses null; before 1.12 both operands of `&&` and `||`
    /// count, whatever the first one is, and `format` of a null without a type is unknown.
    ///
    /// ```
    /// use objchange_hcl::{Functions, Scope, Variables, evaluate, parse_expression};
    ///
    /// let expr = parse_expression("contains([1], null)")?;
    /// let nothing = Variables::default();
    /// let errors = |functions: &Functions| evaluate(&expr, &Scope::new(&nothing), functions).1.len();
    /// assert_eq!(errors(Functions::pure()), 0);
    /// assert_eq!(errors(&Functions::pure().clone().of_version((1, 15))), 1);
    /// # Ok::<(), Vec<objchange_hcl::Diagnostic>>(())
    /// ```
    #[must_use]
    pub fn of_version(mut self, version: (u32, u32)) -> Self {
        self.version = Some(version);
        if version < (1, 12) {
            // Terraform 1.12 made `format` accept arguments of unknown type.
            for name in ["format", "formatlist"] {
                if let Some(function) = self.by_name.remove(name) {
                    self.insert(name, function.needing_types());
                }
            }
        }
        // `contains(x, null)` is an error up to Terraform 1.15.
        if version < (1, 16) {
            self.insert("contains", crate::functions::contains_without_null());
        }
        self
    }

    /// The language of a version without any function.
    pub(crate) fn none_of_version(version: (u32, u32)) -> Self {
        Self { version: Some(version), is_bare: true, ..Self::default() }
    }

    /// Whether there are no calls at all, not even of what looks at expressions, such as `try`.
    pub(crate) fn is_bare(&self) -> bool {
        self.is_bare
    }

    pub(crate) fn lacks_convert(&self) -> bool {
        self.is_before((1, 15))
    }

    /// Whether `&&` and `||` need both of their operands, whatever the first one is.
    pub(crate) fn needs_both_operands(&self) -> bool {
        self.is_before((1, 12))
    }

    /// Whether any key of an unknown object gives a value of unknown type. Since Terraform 1.13 the type of the object says what it
    /// has.
    pub(crate) fn indexes_unknown_objects_blindly(&self) -> bool {
        self.is_before((1, 13))
    }

    fn is_before(&self, version: (u32, u32)) -> bool {
        self.version.is_some_and(|own| own < version)
    }

    /// The function of this name. Those without a namespace are also found under `core::`.
    pub fn get(&self, name: &str) -> Option<&Function> {
        self.by_name.get(name.strip_prefix("core::").unwrap_or(name))
    }

    /// The names, in no particular order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(SmolStr::as_str)
    }

    /// All functions of Terraform that are not special forms. Those that read files fail unless
    /// [`with_files`](Self::with_files) says from where, and what changes with every call is unknown.
    pub fn pure() -> &'static Functions {
        static PURE: std::sync::LazyLock<Functions> = std::sync::LazyLock::new(crate::functions::all);
        &PURE
    }
}

/// Calls that are not functions, because they look at expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Try,
    Can,
    Convert,
    TemplateString,
}

impl Form {
    pub(crate) fn named(name: &str) -> Option<Form> {
        // Terraform also has every function in the namespace `core`, as `core::try`.
        Some(match name.strip_prefix("core::").unwrap_or(name) {
            "try" => Self::Try,
            "can" => Self::Can,
            "convert" => Self::Convert,
            "templatestring" => Self::TemplateString,
            _ => return None,
        })
    }
}
