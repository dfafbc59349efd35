// The first import of `main.ts`: Node reads this when its threads are first needed, and never again.

/**
 * Node looks up host names in half of its threads, and has four unless told otherwise. A name server that does not answer holds one for ten
 * seconds or more: two shops with such a name server kept every other shop and mail server waiting.
 */
process.env.UV_THREADPOOL_SIZE ??= '128'
