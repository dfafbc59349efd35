// The few parts of Stripe's pages that a browser test needs: headings, labelled fields, buttons and links.

export interface PageAnswer {
  status: number
  html?: string
  location?: string
}

export const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

export const dollars = (amount: number) => `${amount < 0 ? '-' : ''}$${(Math.abs(amount) / 100).toFixed(2)}`

export function pageOf(title: string, parts: (string | null | false | undefined)[], status = 200): PageAnswer {
  const body = parts.filter(Boolean).join('\n')
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title>`
  return {
    status,
    html: `<!doctype html><html lang="en"><head>${head}</head><body><main><h1>${escaped(title)}</h1>${body}</main></body></html>`,
  }
}

export const paragraph = (text: string) => `<p>${escaped(text)}</p>`
export const problem = (text: string | undefined) => text && `<p role="alert">${escaped(text)}</p>`
export const link = (href: string, text: string) => `<p><a href="${escaped(href)}">${escaped(text)}</a></p>`
export const field = (name: string, label: string, value = '') =>
  `<p><label>${escaped(label)} <input name="${name}" value="${escaped(value)}"></label></p>`
const hidden = (name: string, value: string) => `<input type="hidden" name="${name}" value="${escaped(value)}">`

/** `kept`: fields that come along unseen. */
export const form = (parts: (string | null | false | undefined)[], button: string, kept: Record<string, string> = {}) =>
  `<form method="post">${Object.entries(kept)
    .map(([name, value]) => hidden(name, value))
    .join('')}${parts.filter(Boolean).join('')}<button>${escaped(button)}</button></form>`

export const rows = (lines: string[]) => `<ul>${lines.map((line) => `<li>${line}</li>`).join('')}</ul>`
