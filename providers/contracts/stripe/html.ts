// The parts of Stripe's pages that browser tests need: headings, labelled fields, buttons and links.

export interface PageAnswer {
  status: number
  html?: string
  location?: string
}

export const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

export const formatDollars = (amount: number) => `${amount < 0 ? '-' : ''}$${(Math.abs(amount) / 100).toFixed(2)}`

export function renderPage(title: string, parts: (string | null | false | undefined)[], status = 200): PageAnswer {
  const body = parts.filter(Boolean).join('\n')
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title>`
  return {
    status,
    html: `<!doctype html><html lang="en"><head>${head}</head><body><main><h1>${escapeHtml(title)}</h1>${body}</main></body></html>`,
  }
}

export const renderParagraph = (text: string) => `<p>${escapeHtml(text)}</p>`
export const renderProblem = (text: string | undefined) => text && `<p role="alert">${escapeHtml(text)}</p>`
export const renderLink = (href: string, text: string) => `<p><a href="${escapeHtml(href)}">${escapeHtml(text)}</a></p>`
export const renderField = (name: string, label: string, value = '') =>
  `<p><label>${escapeHtml(label)} <input name="${name}" value="${escapeHtml(value)}"></label></p>`
const renderHiddenField = (name: string, value: string) =>
  `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`

/** `kept`: hidden fields. */
export const renderForm = (
  parts: (string | null | false | undefined)[],
  button: string,
  hiddenFields: Record<string, string> = {},
) =>
  `<form method="post">${Object.entries(hiddenFields)
    .map(([name, value]) => renderHiddenField(name, value))
    .join('')}${parts.filter(Boolean).join('')}<button>${escapeHtml(button)}</button></form>`

export const renderList = (lines: string[]) => `<ul>${lines.map((line) => `<li>${line}</li>`).join('')}</ul>`
