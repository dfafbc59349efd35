// Must be the first import of `main.ts`: Node reads this once, when it first needs a thread.

/**
 * Node resolves host names in half of its threads, and has four by default. A silent name server holds one for ten
 * seconds or more: two such shops delayed all other shops and mail servers. Shops restricted to public addresses need
 * no thread (guarded-fetch.ts); mail servers do.
 */
process.env.UV_THREADPOOL_SIZE ??= '128'
