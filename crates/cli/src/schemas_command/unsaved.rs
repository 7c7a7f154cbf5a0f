//! Models on their way into the cache.

use std::time::{Duration, Instant};

use objchange_conform::{LearnProgress, Learned};
use objchange_model::ModelInfo;
use objchange_project::{CacheFile, CacheFileError, SchemaCache};

/// How often new models are written to the cache.
const SAVED_EVERY: Duration = Duration::from_secs(60);

/// The models of one provider that are not yet in its file.
pub(super) struct Unsaved {
    cache: SchemaCache,
    file: CacheFile,
    /// Without the models that are in the file.
    pub(super) learned: Learned,
    last_save: Instant,
    /// The number of models so far, those in the file included.
    pub(super) count: usize,
}

impl Unsaved {
    pub(super) fn new(cache: SchemaCache, file: CacheFile) -> Self {
        let mut learned = Learned::default();
        learned.info = ModelInfo::new("", None);
        Self { cache, file, learned, last_save: Instant::now(), count: 0 }
    }

    /// Adds the outcome of a type, and saves from time to time: if the program is killed, only the models of the last interval
    /// are lost.
    pub(super) fn add(&mut self, progress: LearnProgress<'_>) {
        if let Ok(model) = progress.outcome {
            self.learned.types.insert(progress.name.into(), model.clone());
            self.count += 1;
        }
        self.learned.info.clone_from(progress.info);
        self.learned.calls = progress.calls;
        self.learned.left = progress.types.saturating_sub(progress.done);
        if self.last_save.elapsed() >= SAVED_EVERY {
            self.last_save = Instant::now();
            // Models that could not be saved stay here for the next time. The last one reports its error.
            let _ = self.save();
        }
    }

    /// Writes the models to their file.
    pub(super) fn save(&mut self) -> Result<(), CacheFileError> {
        self.cache.add_model(&self.file, self.learned.info.clone(), &self.learned.types)?;
        self.learned.types.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use objchange::schema::ProviderSchemas;
    use objchange_model::TypeModel;

    use super::*;

    #[test]
    fn models_that_could_not_be_saved_are_saved_later() {
        let directory = std::env::temp_dir().join(format!("objchange-unsaved-{}", std::process::id()));
        let cache = SchemaCache { directory: directory.clone() };
        let schemas = r#"{"provider_schemas":{"example.com/test/a":{"resource_schemas":{
            "a_one":{"version":0,"block":{}},"a_two":{"version":0,"block":{}}}}}}"#;
        let schemas = ProviderSchemas::parse(schemas).unwrap();
        let file = cache.add(&schemas, "example.com/test/a", "", |_| None).unwrap().unwrap();
        let mut unsaved = Unsaved::new(cache, file.clone());
        let (model, info) = (TypeModel::default(), ModelInfo::new("", None));
        let add = |unsaved: &mut Unsaved, name, done| {
            unsaved.add(LearnProgress::new(name, Ok(&model), &info, done, 2));
        };
        add(&mut unsaved, "a_one", 1);
        let bytes = fs::read(&file.path).unwrap();
        fs::write(&file.path, "broken").unwrap();
        assert!(unsaved.save().is_err());
        fs::write(&file.path, bytes).unwrap();
        add(&mut unsaved, "a_two", 2);
        unsaved.save().unwrap();
        let learned: Vec<_> = file.read().unwrap().model.unwrap().types().cloned().collect();
        assert_eq!(learned, ["a_one", "a_two"]);
        assert_eq!((unsaved.count, unsaved.learned.left), (2, 0));
        fs::remove_dir_all(directory).unwrap();
    }
}
