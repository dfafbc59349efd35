import type { StoreNet } from '../platform/access.ts'
import type { StoreLogo } from '../platform/platform.ts'
import { isRecord, parseId, webAddress } from '../platform/text.ts'
import { readAnswer, type WooAccess } from './http.ts'

// Reads the logo and icon from a shop's site. Both are public: no key is sent, to any host.

/** Size limit of a response: a picture for a mail is far smaller. */
const MAX_BYTES = 2 * 1024 * 1024
const LIMIT_MS = 10_000
/** WordPress's uncropped sizes, preferred first. */
const SIZES = ['full', 'large', 'medium_large', 'medium'] as const

/** The logo in its sizes, then the icon; nothing when the shop has none. */
export async function* readLogos(
  access: Pick<WooAccess, 'storeUrl'>,
  net: StoreNet,
  signal?: AbortSignal,
): AsyncGenerator<StoreLogo> {
  const index = await getJson(`${access.storeUrl}/wp-json/`)
  if (!isRecord(index)) return
  const logoId = parseId(index.site_logo)
  const media = logoId && (await getJson(`${access.storeUrl}/wp-json/wp/v2/media/${logoId}`))
  for (const url of media ? listUrls(media) : []) yield* picture('site_logo', url)
  const icon = webAddress(index.site_icon_url)
  if (icon) yield* picture('site_icon', icon)

  async function* picture(source: StoreLogo['source'], url: string) {
    const content = await get(url, 'image/png,image/jpeg,image/gif,image/webp')
    if (content) yield { source, content }
  }

  async function getJson(url: string): Promise<unknown> {
    const answer = await ask(url, 'application/json')
    return answer && readAnswer(answer, net.now()).body
  }

  async function get(url: string, accept: string): Promise<Buffer | null> {
    return (await ask(url, accept))?.body ?? null
  }

  /** null: no usable response, for any reason. */
  async function ask(url: string, accept: string) {
    const request = { headers: { accept }, maxBytes: MAX_BYTES, timeoutMs: LIMIT_MS, ...(signal && { signal }) }
    const answer = await net.fetch(url, request).catch(() => null)
    return answer?.status === 200 ? answer : null
  }
}

function listUrls(media: unknown): string[] {
  if (!isRecord(media)) return []
  const sizes = isRecord(media.media_details) && isRecord(media.media_details.sizes) ? media.media_details.sizes : {}
  const listed = SIZES.map((name) => (isRecord(sizes[name]) ? webAddress(sizes[name].source_url) : null))
  const all = [listed[0] ?? webAddress(media.source_url), ...listed.slice(1)]
  return [...new Set(all.filter((url) => url !== null))]
}
