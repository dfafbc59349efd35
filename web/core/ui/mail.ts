// Links in a displayed mail are real: a click would count as the shopper's. A base target that the sandbox blocks
// disables them, and the CSP allows only pictures and styles.
const HEAD =
  '<base target="_blank"><meta name="referrer" content="no-referrer">' +
  '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src http: https: data:; style-src \'unsafe-inline\'">'

export type MailColors = 'light' | 'dark'

const ASKS_FOR_DARK = /\(\s*prefers-color-scheme\s*:\s*dark\s*\)/gi

/** Whether the mail has styles for dark mode. */
export const hasDarkColors = (html: string) => html.search(ASKS_FOR_DARK) >= 0

/** Replaces the mail's color-scheme condition by a constant, because browsers differ in what they report to a frame. */
export const resolveColorScheme = (html: string, colors: MailColors) =>
  html.replace(ASKS_FOR_DARK, colors === 'dark' ? '(min-width: 0)' : '(max-width: 0)')

/** Puts our head before the mail's own, so the mail cannot override it. */
export function buildMailDocument(mail: string, colors: MailColors = 'light'): string {
  const html = resolveColorScheme(mail, colors)
  const head = /<head(\s[^<>]*)?>/i.exec(html)
  if (!head) return `<!doctype html><html><head>${HEAD}</head><body>${html}</body></html>`
  const end = head.index + head[0].length
  return html.slice(0, end) + HEAD + html.slice(end)
}
