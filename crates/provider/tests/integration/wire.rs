//! Both ends of the protocol in one program: messages arrive as they were sent.

use std::sync::Arc;

use objchange::change::{Action, PlanRequest, Planning, begin_plan};
use objchange::schema::{Attribute, Block, Schema};
use objchange::{Type, Value};
use objchange_conform::kit::{Fault, Kit, ResourceType, faulty, trial_block, trial_config};
use objchange_provider::client::Limits;
use objchange_provider::server::serve_connection;
use objchange_provider::{
    Answer, Call, Client, Component, Description, Error, ErrorKind, Function, FunctionAnswer, FunctionNote,
    ImportResource, ImportTarget, Note, Parameter, Provider, ProviderExt, RawState, ReadResource, Reply,
    Schemas, UpgradeResource, schema_document,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

async fn connected(kit: Kit, version: u32) -> Client {
    let (here, there) = tokio::io::duplex(64 << 10);
    tokio::spawn(serve_connection(Arc::new(kit), there));
    Client::over(here, version, Limits::default()).await.unwrap()
}

/// Plans with a provider, as Terraform Core does.
async fn plan(
    provider: &dyn Provider,
    name: &str,
    request: &PlanRequest,
) -> objchange::change::PlannedChange {
    let mut planning = begin_plan(request).unwrap();
    loop {
        planning = match planning {
            Planning::Ask(question) => {
                let answer = provider.plan(name, question.request()).await.unwrap();
                question.answer(answer).unwrap()
            }
            Planning::Done(change) => return *change,
        };
    }
}

#[test]
fn schemas_come_through() {
    run(async {
        let own = faulty(true).schemas().await.unwrap();
        assert_eq!(own.resources.len(), Fault::ALL.len() + 1);
        assert_eq!(connected(faulty(true), 6).await.schemas().await.unwrap(), own);
        // Without nested types protocol 5 says the same.
        let flat = faulty(false).schemas().await.unwrap();
        assert_eq!(connected(faulty(false), 5).await.schemas().await.unwrap(), flat);
        // Parts that cannot be expressed are left out without an error.
        let schemas = connected(faulty(true), 5).await.schemas().await.unwrap();
        assert_eq!((schemas.resources.len(), schemas.problems.len()), (0, 0));
    });
}

/// Descriptions and deprecations.
#[test]
fn notes_come_through() {
    struct Noted(Arc<Schemas>);
    #[async_trait::async_trait]
    impl Provider for Noted {
        async fn call(&self, call: Call<'_>) -> Result<Reply, Error> {
            match call {
                Call::Schemas => Ok(self.0.clone().into()),
                Call::Metadata => Ok(self.0.metadata().into()),
                _ => Err(ErrorKind::Unimplemented.into()),
            }
        }
    }
    run(async {
        let mut schemas = Schemas::clone(&*faulty(false).schemas().await.unwrap());
        let said = |text: &str| Note {
            description: Description { text: text.into(), is_markdown: true },
            deprecated: false,
            deprecation: String::new(),
        };
        let disk = ["disk".into()];
        schemas.notes.add(Component::Resource, "kit_thing", &["id".into()], said("*which*"));
        schemas.notes.add(
            Component::Resource,
            "kit_thing",
            &["disk".into(), "name".into()],
            said("its name"),
        );
        schemas.notes.add(
            Component::Resource,
            "kit_thing",
            &disk,
            Note { deprecated: true, deprecation: "use another".into(), ..said("") },
        );
        schemas.notes.add(Component::DataSource, "kit_thing", &[], said("a thing"));
        let parameters = vec![Description { text: "of what".into(), is_markdown: false }];
        let same = FunctionNote { summary: "the same".into(), parameters, ..FunctionNote::default() };
        schemas.notes.functions.insert("same".into(), same);
        // A description that is not there is not in Markdown either.
        let mut heard = schemas.clone();
        let silent = Note { deprecated: true, deprecation: "use another".into(), ..Note::default() };
        heard.notes.add(Component::Resource, "kit_thing", &disk, silent);
        for version in [5, 6] {
            let (here, there) = tokio::io::duplex(64 << 10);
            tokio::spawn(serve_connection(Arc::new(Noted(Arc::new(schemas.clone()))), there));
            let client = Client::over(here, version, Limits::default()).await.unwrap();
            assert_eq!(*client.schemas().await.unwrap(), heard);
            assert_eq!(client.metadata().await.unwrap(), schemas.metadata());
        }
        let document = schema_document([("example.com/test/kit", &heard)]);
        let document: serde_json::Value = serde_json::from_str(&document).unwrap();
        let provider = &document["provider_schemas"]["example.com/test/kit"];
        let block = &provider["resource_schemas"]["kit_thing"]["block"];
        assert_eq!(block["attributes"]["id"]["description"], "*which*");
        assert_eq!(block["attributes"]["id"]["description_kind"], "markdown");
        assert_eq!(block["block_types"]["disk"]["block"]["deprecated"], true);
        assert_eq!(provider["functions"]["same"]["parameters"][0]["description"], "of what");
    });
}

/// A provider that declares `provider_meta` receives null for it; requests to others do not have the field.
#[test]
fn provider_meta_is_sent_to_providers_that_declare_it() {
    struct Wanting(Kit, bool);
    #[async_trait::async_trait]
    impl Provider for Wanting {
        async fn call(&self, call: Call<'_>) -> Result<Reply, Error> {
            match call {
                Call::Schemas if self.1 => {
                    let mut schemas = Schemas::clone(&*self.0.schemas().await?);
                    schemas.meta = Some(Schema::new(0, trial_block(true)));
                    Ok(Arc::new(schemas).into())
                }
                call => self.0.call(call).await,
            }
        }
    }
    /// The bytes that the client sends while it plans.
    async fn sent(is_wanted: bool) -> Vec<u8> {
        let (here, middle) = tokio::io::duplex(64 << 10);
        let (other, there) = tokio::io::duplex(64 << 10);
        tokio::spawn(serve_connection(Arc::new(Wanting(faulty(true), is_wanted)), there));
        let (mut from_client, mut to_client) = tokio::io::split(middle);
        let (mut from_server, mut to_server) = tokio::io::split(other);
        tokio::spawn(async move { tokio::io::copy(&mut from_server, &mut to_client).await });
        let sent = tokio::spawn(async move {
            let (mut all, mut part) = (Vec::new(), [0; 4096]);
            while let Ok(length @ 1..) = from_client.read(&mut part).await {
                all.extend_from_slice(&part[..length]);
                to_server.write_all(&part[..length]).await.unwrap();
            }
            all
        });
        let client = Client::over(here, 6, Limits::default()).await.unwrap();
        let block = trial_block(true);
        let nothing = Value::null(block.implied_type().clone());
        plan(&client, "kit_thing", &PlanRequest::new(&block, &nothing, &trial_config(true))).await;
        drop(client);
        sent.await.unwrap()
    }
    run(async {
        // Field 6 of the request: a dynamic value that is null in MessagePack.
        let null = [6 << 3 | 2, 3, 1 << 3 | 2, 1, 0xc0];
        for is_wanted in [true, false] {
            let sent = sent(is_wanted).await;
            assert_eq!(sent.windows(null.len()).any(|bytes| bytes == null), is_wanted);
        }
    });
}

#[test]
fn a_plan_is_the_same_on_both_ends() {
    run(async {
        for (version, nested) in [(6, true), (5, false)] {
            let client = connected(faulty(nested), version).await;
            let block = trial_block(nested);
            let nothing = Value::null(block.implied_type().clone());
            let request = PlanRequest::new(&block, &nothing, &trial_config(nested));
            let change = plan(&client, "kit_thing", &request).await;
            assert_eq!(change, plan(&faulty(nested), "kit_thing", &request).await);
            assert_eq!((change.action, change.violations.len()), (Action::Create, 0));
        }
    });
}

#[test]
fn every_call_comes_through() {
    run(async {
        let block = Block::new(
            [("id", Attribute::computed(Type::String)), ("size", Attribute::optional(Type::Number))],
            [],
        );
        let identity = Block::new([("id", Attribute::required(Type::String))], []);
        let double = Function {
            parameters: vec![Parameter::new("n", Type::Number)],
            variadic: Some(Parameter::new("more", Type::String)),
            returns: Type::Number,
        };
        let kit = Kit::default()
            .configuration(Block::new([("region", Attribute::optional(Type::String))], []))
            .resource("kit_disk", ResourceType::new(block.clone()).identity(identity))
            .data_source("kit_disk", block, |config: &Value| Answer::new(config.clone()))
            .function("double", double, |arguments| match arguments {
                [n] => FunctionAnswer::Result(Some(n.clone())),
                _ => FunctionAnswer::Error { text: "one is enough".into(), argument: Some(1) },
            });
        let client = connected(kit, 6).await;
        let schemas = client.schemas().await.unwrap();
        assert_eq!(schemas.identities.len(), 1);
        let object = Value::object([("id", Value::from("a")), ("size", Value::from(5))]);
        let region = Value::object([("region", Value::unknown(Type::String))]);
        for component in [Component::Provider, Component::Resource, Component::DataSource] {
            let (name, config) =
                if component == Component::Provider { ("", &region) } else { ("kit_disk", &object) };
            assert_eq!(client.validate(component, name, config).await.unwrap(), []);
        }
        assert_eq!(client.configure(&region).await.unwrap(), []);
        let stored = RawState::json(r#"{"id":"a","size":5}"#);
        let upgrade = UpgradeResource { type_name: "kit_disk".into(), version: 0, stored };
        assert_eq!(client.upgrade(&upgrade).await.unwrap().object.as_ref(), Some(&object));
        let id = Value::object([("id", "a")]);
        let read = ReadResource {
            type_name: "kit_disk".into(),
            state: object.clone(),
            private: objchange::change::PrivateData(vec![1, 2]),
            identity: Some(id.clone()),
            deferral_allowed: false,
        };
        let answer = client.read(&read).await.unwrap();
        assert_eq!((answer.object.as_ref(), answer.identity.as_ref()), (Some(&object), Some(&id)));
        assert_eq!(answer.private.0, [1, 2]);
        for target in [ImportTarget::Id("a".into()), ImportTarget::Identity(id)] {
            let request = ImportResource { type_name: "kit_disk".into(), target, deferral_allowed: false };
            assert_eq!(client.import(&request).await.unwrap().resources.len(), 1);
        }
        assert_eq!(client.read_data("kit_disk", &object).await.unwrap().object, Some(object));
        let two = Value::from(2);
        let answer = client.call_function("double", std::slice::from_ref(&two)).await.unwrap();
        assert_eq!(answer, FunctionAnswer::Result(Some(two.clone())));
        let answer = client.call_function("double", &[two, Value::from("x")]).await.unwrap();
        assert_eq!(answer, FunctionAnswer::Error { text: "one is enough".into(), argument: Some(1) });
        assert_eq!(client.stop().await.unwrap(), "");
        let error = client.read_data("kit_nothing", &Value::null(Type::Dynamic)).await.unwrap_err();
        assert_eq!(error.to_string(), r#"the provider has no data source "kit_nothing""#);
    });
}

#[test]
fn an_answer_of_the_wrong_type_is_named_with_its_path() {
    run(async {
        let client = connected(faulty(true), 6).await;
        let block = trial_block(true);
        let nothing = Value::null(block.implied_type().clone());
        let request = PlanRequest::new(&block, &nothing, &trial_config(true));
        let Planning::Ask(question) = begin_plan(&request).unwrap() else { panic!() };
        let error = async |name| client.plan(name, question.request()).await.unwrap_err().to_string();
        let said = error("kit_planned_type").await;
        assert!(said.contains("size: a number is required"), "{said}");
        let said = error("kit_planned_missing").await;
        assert!(said.contains("parts are expected here"), "{said}");
        let said = error("kit_plan_status").await;
        assert!(said.ends_with("(Internal): boom"), "{said}");
    });
}

#[test]
fn a_schema_of_megabytes_comes_through() {
    run(async {
        let attribute = |i: usize| {
            (format!("attribute_with_a_long_name_{i:06}"), Attribute::optional(Type::map(Type::String)))
        };
        let block = Block::new((0..50_000).map(attribute), []);
        let kit = Kit::default().resource("kit_large", ResourceType::new(block.clone()));
        let client = connected(kit, 6).await;
        assert_eq!(client.schemas().await.unwrap().resources["kit_large"].block, block);
        let large = "x".repeat(3 << 20);
        let config = Value::object([("attribute_with_a_long_name_000001", Value::object([("k", large)]))]);
        let nothing = Value::null(block.implied_type().clone());
        let change = plan(&client, "kit_large", &PlanRequest::new(&block, &nothing, &config)).await;
        assert_eq!(change.violations, []);
    });
}

/// Debug output of a client or a provider shows no value.
#[test]
fn debug_shows_no_value() {
    let secret = Value::object([("name", Value::from("hunter2"))]);
    let read = ReadResource {
        type_name: "t".into(),
        state: secret.clone(),
        private: objchange::change::PrivateData(b"hunter2".to_vec()),
        identity: Some(secret.clone()),
        deferral_allowed: false,
    };
    let stored = RawState::json("hunter2");
    let upgrade = UpgradeResource { type_name: "t".into(), version: 0, stored };
    let target = ImportTarget::Id("hunter2".into());
    let shown = format!(
        "{read:?} {upgrade:?} {target:?} {:?} {:?}",
        Answer::new(secret.clone()),
        FunctionAnswer::Result(Some(secret))
    );
    assert!(!shown.contains("hunter2"), "{shown}");
}
