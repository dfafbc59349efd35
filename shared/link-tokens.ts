// A link in a mail is often copied with what stands after it: a full stop, a bracket, an "&amp;x=1". Pure.

const TOKEN = /^(?:rt_)?[\w-]{43}/

/** The token at the beginning of what came with a link; all of it where there is none. */
export const tokenIn = (text: string): string => TOKEN.exec(text)?.[0] ?? text

/** The path and query of a link from a message, without what was copied with its token; every other address as it is. */
export function plainLink(url: string): string {
  const [, way, token, query] = /^(\/[cou]\/)([\w-]{43})[^\w?-][^?]*(\?.*)?$/s.exec(url) ?? []
  return way === undefined ? url : `${way}${token}${query ?? ''}`
}
