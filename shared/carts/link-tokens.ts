// Cleans links copied from mails together with a full stop, a bracket or "&amp;x=1". Pure.

const TOKEN = /^(?:rt_)?[\w-]{43}/

/** The token at the start of the text; the whole text if there is none. */
export const parseToken = (text: string): string => TOKEN.exec(text)?.[0] ?? text

/** Path and query of a message link without text copied after its token; other addresses unchanged. */
export function buildPlainLink(url: string): string {
  const [, prefix, token, query] = /^(\/[cou]\/)([\w-]{43})[^\w?-][^?]*(\?.*)?$/s.exec(url) ?? []
  return prefix === undefined ? url : `${prefix}${token}${query ?? ''}`
}
