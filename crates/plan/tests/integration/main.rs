//! The tests of this crate from outside, in one program, which links in a fraction of the time.

mod compare;
mod corners;
mod depth;
mod findings;
mod golden;
mod html;
mod ignore;
mod joined_marks;
mod large;
mod leaves;
mod markdown;
mod masked;
mod match_sets;
mod modes;
mod mutated;
mod outline;
mod own_formats;
mod plans;
mod properties;
mod report;
mod state_file;
mod summary;
mod values;
mod yaml;
