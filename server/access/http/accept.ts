// Content negotiation. Pure.

/**
 * Whether a page is preferred over data. Browsers prefer HTML when a user opens an address; programs name JSON,
 * anything, or nothing.
 */
export function prefersHtml(accept: string | undefined): boolean {
  const weights = new Map((accept ?? '').split(',').map(parseWeight))
  const html = weights.get('text/html') ?? 0
  return html > 0 && html >= (weights.get('application/json') ?? 0)
}

function parseWeight(part: string): [string, number] {
  const [type = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase())
  const quality = parameters.find((each) => each.startsWith('q='))
  const weight = quality === undefined ? 1 : Number(quality.slice(2))
  return [type, Number.isFinite(weight) ? weight : 0]
}
