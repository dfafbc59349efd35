import { type Child, h, type IconName, icon } from './dom.ts'
import { formatAmount } from './languages.ts'

// The parts of the shopper's pages.

export const buildMoney = (amount: number, currency: string, locale: string) =>
  h('span', { class: 'tabular' }, formatAmount(amount, currency, locale))

interface ButtonOptions {
  /** Without a look it is the page's main button. */
  look?: 'quiet' | 'small'
  type?: 'submit'
  isWorking?: boolean
  isDisabled?: boolean
  hasArrow?: boolean
  onPress?: () => void
}

const buildButtonClass = (look?: 'quiet' | 'small') => `button${look ? ` button-quiet button-${look}` : ''}`

/** While it works it keeps the focus and ignores presses. */
export function buildButton(label: string, options: ButtonOptions): HTMLElement {
  const { look, type = 'button', isWorking = false, isDisabled = false, hasArrow, onPress } = options
  const isInert = isWorking || isDisabled
  return h(
    'button',
    {
      class: buildButtonClass(look),
      type,
      'data-key': label,
      'aria-disabled': isInert && 'true',
      'aria-busy': isWorking && 'true',
      onclick: (event) => (isInert ? event.preventDefault() : onPress?.()),
    },
    label,
    hasArrow && icon('arrow'),
  )
}

export const buildLinkButton = (label: string, href: string, { hasArrow = false } = {}) =>
  h('a', { class: buildButtonClass(), href, rel: 'noreferrer', 'data-key': label }, label, hasArrow && icon('arrow'))

interface NoticeOptions {
  title?: string | undefined
  /** Announced when it appears: for outcomes, not for standing advice. */
  isLive?: boolean
}

export function buildNotice(
  tone: 'good' | 'info' | 'warn' | 'bad',
  { title, isLive = false }: NoticeOptions,
  ...children: Child[]
): HTMLElement {
  const role = isLive && (tone === 'bad' ? 'alert' : 'status')
  return h(
    'div',
    { class: `notice tone-${tone}`, role, 'data-key': tone },
    icon(tone satisfies IconName),
    h('div', { class: 'notice-text' }, title && h('strong', {}, title), ...children),
  )
}

/** What failed, why, and a button to try again. */
export const buildFailure = (title: string, message: string, retry: { label: string; onPress: () => void }) =>
  buildNotice(
    'bad',
    { title, isLive: true },
    h('div', {}, message),
    buildButton(retry.label, { look: 'small', onPress: retry.onPress }),
  )

/** In the shape of the content, so nothing moves when it arrives. */
export const buildSkeleton = (count: number, label: string) =>
  h(
    'div',
    { role: 'status', 'aria-label': label, class: 'skeleton' },
    Array.from({ length: count }, () => h('div', {}, h('span'), h('span'))),
  )

/** Decorative: the product's name is beside it. */
export function buildPicture(url: string | null): HTMLElement {
  const none = () => h('div', { class: 'picture' }, icon('picture', 20))
  if (!url) return none()
  const image = h('img', { class: 'picture', src: url, width: 64, height: 64, alt: '', loading: 'lazy' })
  // The handler may be copied to the picture on the page.
  image.onerror = (event) => ((event as Event).currentTarget as HTMLElement).replaceWith(none())
  return image
}
