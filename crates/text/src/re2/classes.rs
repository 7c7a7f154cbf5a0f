//! Classes of characters by name, as Go's `regexp` knows them: general categories, scripts and `Any`.
//!
//! The crate `regex` knows more of them: properties such as `Alphabetic`, scripts by their codes, and those of a newer Unicode. Of
//! 469 names Terraform 1.11.4 (Go 1.23) takes 200 and Terraform 1.15.5 (Go 1.25) 216. 1.15 has the long names of categories and
//! reads names without case, and refuses scripts of two words. Here both are taken.

/// The scripts of Unicode 15, which Go has since 1.21.
const SCRIPTS: &str = "\
    Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki \
    Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee \
    Chorasmian Common Coptic Cuneiform Cypriot Cypro_Minoan Cyrillic Deseret Devanagari Dives_Akuru Dogra Duployan \
    Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Georgian Glagolitic Gothic Grantha Greek Gujarati Gunjala_Gondi \
    Gurmukhi Han Hangul Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic Inherited \
    Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kawi Kayah_Li Kharoshthi \
    Khitan_Small_Script Khmer Khojki Khudawadi Lao Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani \
    Makasar Malayalam Mandaic Manichaean Marchen Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui \
    Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean Nag_Mundari Nandinagari \
    New_Tai_Lue Newa Nko Nushu Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Old_Hungarian Old_Italic Old_North_Arabian \
    Old_Permic Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur Oriya Osage Osmanya Pahawh_Hmong \
    Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian \
    Siddham SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le \
    Tai_Tham Tai_Viet Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Toto Ugaritic Vai \
    Vithkuqi Wancho Warang_Citi Yezidi Yi Zanabazar_Square";

/// General categories and what else is named like them, as names are compared: Go 1.25.
const CATEGORIES: &str = "\
    any ascii assigned c cc cf cn co casedletter closepunctuation cntrl combiningmark connectorpunctuation control \
    currencysymbol dashpunctuation decimalnumber digit enclosingmark finalpunctuation format initialpunctuation l lc \
    letter letternumber lineseparator ll lm lo lowercaseletter lt lu m mark mathsymbol mc me mn modifierletter \
    modifiersymbol n nd nl no nonspacingmark number openpunctuation other otherletter othernumber otherpunctuation \
    othersymbol p paragraphseparator pc pd pe pf pi po privateuse ps punct punctuation s sc separator sk sm so \
    spaceseparator spacingmark symbol titlecaseletter unassigned uppercaseletter z zl zp zs";

/// The class of this name as the crate `regex` writes it; `None` if Go has none.
pub(super) fn class(name: &str, negated: bool) -> Option<String> {
    let letter = if negated { 'P' } else { 'p' };
    let folded: String =
        name.chars().filter(|c| !matches!(c, '_' | '-')).map(|c| c.to_ascii_lowercase()).collect();
    let is_script = |script: &str| script == name || script.eq_ignore_ascii_case(&folded);
    match folded.as_str() {
        "any" => Some(if negated { "[^\\s\\S]" } else { "[\\s\\S]" }.to_owned()),
        // No text has a surrogate.
        "cs" | "surrogate" => class("any", !negated),
        category if CATEGORIES.split(' ').any(|one| one == category) => {
            Some(format!("\\{letter}{{gc={category}}}"))
        }
        script if SCRIPTS.split(' ').any(is_script) => Some(format!("\\{letter}{{sc={script}}}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{CATEGORIES, SCRIPTS, class};

    #[test]
    fn the_crate_has_all_classes_of_go() {
        for name in SCRIPTS.split(' ').chain(CATEGORIES.split(' ')) {
            for negated in [false, true] {
                let class = class(name, negated).unwrap();
                assert!(regex::bytes::Regex::new(&format!("{class}[{class}]")).is_ok(), "{name}: {class}");
            }
        }
    }
}
