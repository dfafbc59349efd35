import type { Config } from '../../core/config/public.ts'

// The instance's own name, logo and legal pages in our built pages. Pure.

export const LOGO_PATH = '/instance-logo'

type Own = Pick<Config, 'instanceName' | 'instanceLogo' | 'termsUrl' | 'privacyUrl' | 'imprintUrl'>

/** Changes nothing unless the settings do. The plugin keeps its name in WordPress ("WooCommerce → Recoup"). */
export function applyOwnName(html: string, own: Own): string {
  const name = escapeHtml(own.instanceName)
  const named = name === 'Recoup' ? html : html.replaceAll(/(?<!→ )\bRecoup\b/g, () => name)
  return addLegalPages(own.instanceLogo ? addLogo(named, own.instanceLogo) : named, own)
}

// Bounded: all three read our own built pages.
const ICON = /<link rel="icon"[^>]*>/
// Bounded: as above.
const TOUCH_ICON = /<link rel="apple-touch-icon"[^>]*>/
// Bounded: as above.
const LOGO_MARK = /<svg width="(\d+)"[^>]*class="logo-mark"[^>]*>.*?<\/svg>/gs

function addLogo(html: string, file: string): string {
  return html
    .replace('<meta name="application-name"', `$& data-logo="${LOGO_PATH}"`)
    .replace(ICON, `<link rel="icon" href="${LOGO_PATH}" type="${logoType(file)}" />`)
    .replace(TOUCH_ICON, '')
    .replaceAll(LOGO_MARK, `<img src="${LOGO_PATH}" alt="" width="$1" height="$1" class="logo-mark">`)
}

export const logoType = (file: string): string => (/\.svg$/i.test(file) ? 'image/svg+xml' : 'image/png')

function addLegalPages(html: string, { termsUrl, privacyUrl, imprintUrl }: Own): string {
  const link = (url: string) => `href="${escapeHtml(url)}"`
  const withImprint = imprintUrl
    ? html.replaceAll('<a href="/privacy">Privacy</a>', `$&<a ${link(imprintUrl)}>Imprint</a>`)
    : html
  const withTerms = termsUrl ? withImprint.replaceAll('href="/terms"', link(termsUrl)) : withImprint
  return privacyUrl ? withTerms.replaceAll('href="/privacy"', link(privacyUrl)) : withTerms
}

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
