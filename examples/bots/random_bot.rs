//! Plays any legal action, in Rust: rustc -O random_bot.rs && tkm match cmd:./random_bot random

use std::io::{self, BufRead, Write};

/// The value of a word `name=value`.
fn value<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.split(' ').filter_map(|word| word.split_once('=')).find(|(given, _)| *given == name).map(|(_, value)| value)
}

fn main() -> io::Result<()> {
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let head = line.split(" | ").next().unwrap_or("");
        match head.split(' ').next() {
            Some("tkm") => writeln!(output, "tkm 1 name=random-rust version=1")?,
            Some("go") => {
                let legal: Vec<&str> = value(head, "legal").unwrap_or("").split(',').collect();
                let seed: u64 = value(head, "seed").and_then(|text| text.parse().ok()).unwrap_or(0);
                // One step of a multiplicative generator, so that neighbouring seeds lead to different actions.
                let bits = seed.wrapping_add(1).wrapping_mul(6364136223846793005) >> 33;
                writeln!(output, "play {}", legal[bits as usize % legal.len()])?;
            }
            Some("quit") => break,
            _ => {}
        }
        output.flush()?;
    }
    Ok(())
}
