import type { ShopBrand } from '../../../shared/carts/shop-brand.ts'
import { type Language, languages } from '../../../shared/delivery/preferences.ts'
import { TEST_TOKEN } from '../../../shared/delivery/restore.ts'
import { ApiError } from '../../core/api/api.ts'
import { languageNames, shopperCopy } from './copy.ts'
import { type Child, h, update } from './dom.ts'
import { applyShopLook } from './look.ts'
import { buildFailure, buildNotice, buildSkeleton } from './parts.ts'

interface Frame {
  title: string
  size: number
  language: Language
  shop: { name: string; url: string | null; brand: ShopBrand } | null
}

/** Shows a page in the shop's branding, with nothing of the app. */
export function showPage({ title, size, language, shop }: Frame, ...children: Child[]): void {
  document.title = shop ? `${title} · ${shop.name}` : title
  document.documentElement.lang = language
  if (shop) applyShopLook(shop.brand)
  const main = document.querySelector('main')!
  main.style.maxWidth = `${size}px`
  const card = h('div', { class: 'shopper-card' }, shop && buildShop(shop), ...children)
  update(main, [card])
}

/** The shop's logo or name, as in its mails. */
export function buildShop({ name, url, brand }: { name: string; url: string | null; brand: ShopBrand }): HTMLElement {
  const logo = brand.logo
  const sign = logo
    ? h('img', {
        class: 'shopper-logo',
        src: logo.path,
        width: logo.width,
        height: logo.height,
        alt: logo.alt || name,
        style: `background: ${brand.ground}`,
      })
    : name
  return h('div', { class: 'shopper-shop' }, url ? h('a', { href: url, rel: 'noreferrer' }, sign) : sign)
}

export const buildHeading = (text: string) => h('h1', {}, text)

/** Each language in its own name. */
export const buildLanguages = (language: Language, onChoose: (next: Language) => void) =>
  h(
    'nav',
    { class: 'languages', 'aria-label': shopperCopy[language].language },
    languages.map((each) =>
      h(
        'button',
        {
          class: 'language',
          type: 'button',
          lang: each,
          'aria-pressed': String(each === language),
          onclick: () => onChoose(each),
        },
        languageNames[each],
      ),
    ),
  )

/** Whether the server is away or busy; any other error means that the link is not valid. */
export const isTemporary = (error: Error) => !(error instanceof ApiError) || error.isOutage || error.status === 429

export const isTestLink = (token: string) => token === TEST_TOKEN

interface Missing {
  token: string
  title: string
  language: Language
  error: Error | null
  onRetry: () => void
}

/** What a page shows while it loads, or if it cannot be shown. Expired and invented links look the same (X1). */
export function buildMissing({ token, title, language, error, onRetry }: Missing): Child {
  const copy = shopperCopy[language]
  const content = isTestLink(token)
    ? buildNotice('info', { isLive: true }, copy.isTest)
    : token === '' || (error && !isTemporary(error))
      ? buildNotice('warn', { isLive: true }, copy.linkBroken)
      : error
        ? buildFailure(copy.failedTitle, describeError(error, language), { label: copy.retry, onPress: onRetry })
        : buildSkeleton(1, copy.isLoading)
  return [buildHeading(title), content]
}

/** The server's sentences are English. */
export const describeError = (error: Error, language: Language) =>
  language === 'en' ? error.message : shopperCopy[language].failed

const PAUSES_MS = [800, 1_600]

/** Asks again after a moment if the server is away. */
export async function askPatiently<T>(ask: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES_MS) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof ApiError && error.isOutage)) throw error
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
  return ask()
}
