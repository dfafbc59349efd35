// The links in a shown mail are real: one click would count as the shopper's. A base target that a sandboxed frame may not open makes
// them dead, and the policy keeps everything but pictures and styles out.
const HEAD =
  '<base target="_blank"><meta name="referrer" content="no-referrer">' +
  '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src http: https: data:; style-src \'unsafe-inline\'">'

/** The mail's document with our head in front of its own, so that the mail cannot override it. */
export function mailDocument(html: string): string {
  const head = /<head(\s[^<>]*)?>/i.exec(html)
  if (!head) return `<!doctype html><html><head>${HEAD}</head><body>${html}</body></html>`
  const end = head.index + head[0].length
  return html.slice(0, end) + HEAD + html.slice(end)
}
