//! C interface of Hugging Face tokenizers, as tokenizer_ffi.h declares it.
//!
//! Every function catches panics: unwinding into C++ is undefined behaviour.  A status of 0 is
//! success; any other leaves a message in the error buffer that the caller frees.

use std::any::Any;
use std::panic::{catch_unwind, set_hook, AssertUnwindSafe};
use std::sync::Once;

use tokenizers::utils::truncation::TruncationDirection;
use tokenizers::{PostProcessor, Tokenizer};

pub struct HydraTokenizer {
    tokenizer: Tokenizer,
    content_tokens: usize, // room for tokens of the text beside the special ones
    largest_id: u32,
}

#[repr(C)]
pub struct HydraBuffer {
    data: *mut u8,
    size: usize,
}

#[repr(C)]
pub struct HydraTokenIds {
    ids: *mut u32,
    size: usize,
    truncated: usize,
}

type Outcome<T> = Result<T, String>;

fn panic_text(payload: Box<dyn Any + Send>) -> String {
    let text = payload
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| payload.downcast_ref::<&str>().map(|text| text.to_string()));
    // The destructor of an unknown payload could panic again.
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(second);
    }
    format!(
        "panic: {}",
        text.unwrap_or_else(|| "no message".to_string())
    )
}

/// Runs `work`; its error or panic becomes text in `error` and a status of 1.
unsafe fn guarded<T>(error: *mut HydraBuffer, work: impl FnOnce() -> Outcome<T>) -> Option<T> {
    let message = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(value)) => return Some(value),
        Ok(Err(message)) => message,
        Err(payload) => panic_text(payload),
    };
    let bytes = message.into_bytes().into_boxed_slice();
    (*error).size = bytes.len();
    (*error).data = Box::into_raw(bytes) as *mut u8;
    None
}

unsafe fn text<'a>(data: *const u8, size: usize) -> Outcome<&'a str> {
    if size == 0 {
        return Ok(""); // a null pointer is no valid slice, even of no bytes
    }
    std::str::from_utf8(std::slice::from_raw_parts(data, size)).map_err(|error| error.to_string())
}

/// Panics are reported as errors, so the default hook's lines on stderr would be noise.
fn silence_panics() {
    static SILENCED: Once = Once::new();
    SILENCED.call_once(|| set_hook(Box::new(|_| {})));
}

fn create(json: &str, max_tokens: usize) -> Outcome<HydraTokenizer> {
    let mut tokenizer: Tokenizer = json.parse().map_err(|error| format!("{error}"))?;
    tokenizer.with_padding(None);
    tokenizer
        .with_truncation(None)
        .map_err(|error| error.to_string())?;
    let special = tokenizer
        .get_post_processor()
        .map_or(0, |processor| processor.added_tokens(false));
    if special >= max_tokens {
        return Err(format!(
            "max_tokens: got {max_tokens}, want more than the {special} special tokens of a text"
        ));
    }
    let mut made = HydraTokenizer {
        tokenizer,
        content_tokens: max_tokens - special,
        largest_id: 0,
    };
    made.largest_id = largest_id(&made)?;
    Ok(made)
}

/// The order of transformers: tokens of the text, cut on the right, then the special tokens.
fn encode(tokenizer: &HydraTokenizer, text: &str) -> Outcome<(Vec<u32>, usize)> {
    let inner = &tokenizer.tokenizer;
    let mut encoding = inner
        .encode_fast(text, false)
        .map_err(|error| error.to_string())?;
    let truncated = encoding.len().saturating_sub(tokenizer.content_tokens);
    encoding.truncate(tokenizer.content_tokens, 0, TruncationDirection::Right);
    encoding.take_overflowing();
    let processed = inner
        .post_process(encoding, None, true)
        .map_err(|error| error.to_string())?;
    Ok((processed.get_ids().to_vec(), truncated))
}

fn largest_id(tokenizer: &HydraTokenizer) -> Outcome<u32> {
    let (special, _) = encode(tokenizer, "")?;
    let vocabulary = tokenizer.tokenizer.get_vocab(true);
    Ok(vocabulary
        .into_values()
        .chain(special)
        .max()
        .unwrap_or_default())
}

/// # Safety
/// `json` points to `size` bytes; `tokenizer` and `error` may be written.
#[no_mangle]
pub unsafe extern "C" fn hydra_tokenizer_create(
    json: *const u8,
    size: usize,
    max_tokens: usize,
    tokenizer: *mut *mut HydraTokenizer,
    error: *mut HydraBuffer,
) -> i32 {
    silence_panics();
    match guarded(error, || create(text(json, size)?, max_tokens)) {
        Some(made) => {
            *tokenizer = Box::into_raw(Box::new(made));
            0
        }
        None => 1,
    }
}

/// # Safety
/// `tokenizer` comes from hydra_tokenizer_create.
#[no_mangle]
pub unsafe extern "C" fn hydra_tokenizer_largest_id(tokenizer: *const HydraTokenizer) -> u32 {
    (*tokenizer).largest_id
}

/// # Safety
/// `tokenizer` comes from hydra_tokenizer_create, `utf8` points to `size` bytes; `ids` and `error`
/// may be written.
#[no_mangle]
pub unsafe extern "C" fn hydra_tokenizer_encode(
    tokenizer: *const HydraTokenizer,
    utf8: *const u8,
    size: usize,
    ids: *mut HydraTokenIds,
    error: *mut HydraBuffer,
) -> i32 {
    let encoded = guarded(error, || encode(&*tokenizer, text(utf8, size)?));
    match encoded {
        Some((values, truncated)) => {
            let values = values.into_boxed_slice();
            (*ids).size = values.len();
            (*ids).truncated = truncated;
            (*ids).ids = Box::into_raw(values) as *mut u32;
            0
        }
        None => 1,
    }
}

/// # Safety
/// `tokenizer` comes from hydra_tokenizer_create and is not used afterwards.
#[no_mangle]
pub unsafe extern "C" fn hydra_tokenizer_free(tokenizer: *mut HydraTokenizer) {
    // A destructor that panicked would have leaked at worst; there is nobody to tell.
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(Box::from_raw(tokenizer)))) {
        std::mem::forget(payload);
    }
}

/// # Safety
/// `ids` was filled by hydra_tokenizer_encode and is not used afterwards.
#[no_mangle]
pub unsafe extern "C" fn hydra_token_ids_free(ids: HydraTokenIds) {
    drop(Box::from_raw(std::ptr::slice_from_raw_parts_mut(
        ids.ids, ids.size,
    )));
}

/// # Safety
/// `buffer` was filled by a function of this interface and is not used afterwards.
#[no_mangle]
pub unsafe extern "C" fn hydra_buffer_free(buffer: HydraBuffer) {
    drop(Box::from_raw(std::ptr::slice_from_raw_parts_mut(
        buffer.data,
        buffer.size,
    )));
}
