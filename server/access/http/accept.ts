// What a request would like to be answered with. Pure.

/** A page before data: browsers ask so for an address that somebody opens; programs name JSON, anything, or nothing. */
export function prefersHtml(accept: string | undefined): boolean {
  const weights = new Map((accept ?? '').split(',').map(weightOf))
  const html = weights.get('text/html') ?? 0
  return html > 0 && html >= (weights.get('application/json') ?? 0)
}

function weightOf(part: string): [string, number] {
  const [type = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase())
  const quality = parameters.find((each) => each.startsWith('q='))
  const weight = quality === undefined ? 1 : Number(quality.slice(2))
  return [type, Number.isFinite(weight) ? weight : 0]
}
