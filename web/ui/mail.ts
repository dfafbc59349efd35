// The links in a shown mail are real: one click would count as the shopper's. A base target that a sandboxed frame may not open makes
// them dead, and the policy keeps everything but pictures and styles out.
const HEAD =
  '<base target="_blank"><meta name="referrer" content="no-referrer">' +
  '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src http: https: data:; style-src \'unsafe-inline\'">'

export type MailColors = 'light' | 'dark'

const ASKS_FOR_DARK = /\(\s*prefers-color-scheme\s*:\s*dark\s*\)/gi

/** Whether a mail program in dark colors shows it otherwise. */
export const hasDarkColors = (html: string) => html.search(ASKS_FOR_DARK) >= 0

/** A condition of the mail's styles that always holds, or never: browsers differ in what they tell a frame of the reader's colors. */
const inColors = (html: string, colors: MailColors) =>
  html.replace(ASKS_FOR_DARK, colors === 'dark' ? '(min-width: 0)' : '(max-width: 0)')

/** The mail's document with our head in front of its own, so that the mail cannot override it. */
export function mailDocument(mail: string, colors: MailColors = 'light'): string {
  const html = inColors(mail, colors)
  const head = /<head(\s[^<>]*)?>/i.exec(html)
  if (!head) return `<!doctype html><html><head>${HEAD}</head><body>${html}</body></html>`
  const end = head.index + head[0].length
  return html.slice(0, end) + HEAD + html.slice(end)
}
