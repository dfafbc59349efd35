import { type CartView, getCart, type RestorableCart } from '../../../shared/carts/carts.ts'
import type { Language } from '../../../shared/delivery/preferences.ts'
import { restoreCart } from '../../../shared/delivery/restore.ts'
import { ApiError, call } from '../../core/api/api.ts'
import { shopperCopy } from './copy.ts'
import { type Child, h } from './dom.ts'
import { chooseBrowserLocale, getPageLanguage, toLocale } from './languages.ts'
import { askPatiently, buildHeading, buildLanguages, describeError, isTemporary, showPage } from './page.ts'
import { buildButton, buildFailure, buildLinkButton, buildNotice, buildSkeleton } from './parts.ts'
import { getText } from './restore-copy.ts'
import { buildItemsTable, buildRestoredItems } from './restore-items.ts'
import { describeCoupon, isAsAnnounced, isBought, isOnOffer, type RestoredReply } from './rules.ts'

type Cart = RestorableCart | CartView
type Press = 'continue' | 'restore'

interface State {
  cart: Cart | null
  loadError: Error | null
  /** Chosen on this page. */
  chosen: Language | null
  /** The button pressed last. */
  pressed: Press | null
  isRestoring: boolean
  /** On the way to the store. */
  isRedirecting: boolean
  restored: RestoredReply | null
  error: Error | null
}

const START: State = {
  ...{ cart: null, loadError: null, chosen: null, pressed: null, isRestoring: false },
  ...{ isRedirecting: false, restored: null, error: null },
}

/** Target of links in messages (decision 4): public and without personal data. */
export function openRestore(cartId: string): void {
  let state = START
  const set = (patch: Partial<State>) => {
    state = { ...state, ...patch }
    show()
  }
  const load = async () => {
    set({ loadError: null })
    if (cartId === '') return
    try {
      const { cart } = await askPatiently(() => call(getCart, { params: { id: cartId } }))
      set({ cart: cart as Cart })
    } catch (error) {
      set({ loadError: error as Error })
    }
  }
  const restore = async (cart: Cart, pressed: Press) => {
    // The specification's own effect, even if sending to the store fails.
    localStorage.setItem('restoredCart', JSON.stringify(cart.items))
    set({ pressed, isRestoring: true, error: null })
    try {
      // A link's token identifies the cart; a cart id means a member's preview.
      const restored = await call(restoreCart, { params: { id: cartId }, isAnonymous: cartId.startsWith('rt_') })
      const { checkoutUrl } = restored
      const isRedirecting = pressed === 'continue' && checkoutUrl !== null && isAsAnnounced(cart, restored)
      set({ restored, isRestoring: false, isRedirecting })
      if (isRedirecting) location.assign(checkoutUrl)
    } catch (error) {
      set({ error: error as Error, isRestoring: false })
    }
  }
  // After Back from the store, browsers show this page from their cache.
  addEventListener('pageshow', ({ persisted }) => persisted && set({ isRedirecting: false }))
  const show = () => {
    const { cart } = state
    const shop = cart && 'storeName' in cart ? { name: cart.storeName, url: cart.shopUrl, brand: cart.brand } : null
    // A member's preview has no shopper's locale.
    const known = cart && 'locale' in cart ? cart.locale : chooseBrowserLocale(navigator.languages)
    const locale = state.chosen ? toLocale(state.chosen, known) : known
    const language = getPageLanguage(locale)
    const content = cart
      ? buildContent({ ...state, cart, locale }, (pressed) => void restore(cart, pressed))
      : buildMissingCart({ cartId, error: state.loadError, locale, onRetry: () => void load() })
    showPage(
      { title: getText('title', locale), size: 620, language, shop },
      content,
      buildLanguages(language, (chosen) => set({ chosen })),
    )
  }
  void load()
}

interface MissingCart {
  cartId: string
  error: Error | null
  locale: string
  onRetry: () => void
}

/** What the page shows while it loads, or without a cart. */
function buildMissingCart({ cartId, error, locale, onRetry }: MissingCart): Child {
  const language = getPageLanguage(locale)
  const { isLoading, retry } = shopperCopy[language]
  const warn = (title: string, hint: string) => buildNotice('warn', { title, isLive: true }, hint)
  const content =
    cartId === ''
      ? warn(getText('noCartId', locale), getText('noCartIdHint', locale))
      : error && !isTemporary(error)
        ? warn(getText('notFound', locale), getText('notFoundHint', locale))
        : error
          ? buildFailure(getText('notLoaded', locale), describeError(error, language), {
              label: retry,
              onPress: onRetry,
            })
          : buildSkeleton(3, isLoading)
  return [buildHeading(getText('title', locale)), content]
}

type Loaded = State & { cart: Cart; locale: string }

function buildContent(state: Loaded, onPress: (press: Press) => void): Child {
  const { cart, restored, isRedirecting, locale } = state
  const isOfShop = 'storeName' in cart
  if (isBought(cart) || restored?.isOrdered) {
    return buildBought(restored?.shopUrl ?? (isOfShop ? cart.shopUrl : null), locale)
  }
  const isShown = restored !== null && !isRedirecting
  return [
    h('div', {}, buildHeading(getText('title', locale)), h('p', { class: 'hint' }, getText('saved', locale))),
    !isOfShop && buildNotice('info', {}, getText('isTest', locale)),
    ...(isShown ? buildRestored(restored, cart.currency, locale) : buildOffer(state, onPress)),
  ]
}

function buildOffer(state: Loaded, onPress: (press: Press) => void): Child[] {
  const { cart, locale } = state
  return [
    buildItemsTable(cart, locale),
    state.error && buildRestoreFailure(state.error, locale, () => onPress(state.pressed ?? 'restore')),
    !isOnOffer(cart) && buildNotice('warn', {}, getText('nothingLeft', locale)),
    buildRestoreButtons(state, onPress),
    'brand' in cart && cart.brand.promise && h('p', { class: 'hint', 'data-key': 'promise' }, cart.brand.promise),
  ]
}

const buildBought = (shopUrl: string | null, locale: string): Child => [
  buildHeading(getText('ordered', locale)),
  h('p', {}, getText('orderedHint', locale)),
  shopUrl && buildLinkButton(getText('toShop', locale), shopUrl),
]

/** Two buttons (A1): continue to the store's filled checkout, or first see what is restored. */
function buildRestoreButtons(state: Loaded, onPress: (press: Press) => void): HTMLElement {
  const { cart, pressed, isRestoring, isRedirecting, locale } = state
  const isBusy = isRestoring || isRedirecting
  const buildPress = (label: string, press: Press, isQuiet: boolean) =>
    buildButton(label, {
      ...(isQuiet ? { look: 'quiet' } : { hasArrow: true }),
      isWorking: isBusy && pressed === press,
      isDisabled: isBusy || cart.items.length === 0,
      onPress: () => onPress(press),
    })
  return h(
    'div',
    { class: 'restore-buttons', 'data-key': 'buttons' },
    isOnOffer(cart)
      ? buildPress(getText('toCheckout', locale), 'continue', false)
      : 'shopUrl' in cart && buildLinkButton(getText('toShop', locale), cart.shopUrl),
    buildPress(getText('restore', locale), 'restore', true),
  )
}

/** The items stay in this browser after any reply of the server; failures are shown beside them. */
function buildRestoreFailure(error: Error, locale: string, onPress: () => void): Child {
  const language = getPageLanguage(locale)
  if (!isTemporary(error)) {
    const isUnknown = error instanceof ApiError && error.status === 404
    return buildNotice(
      'bad',
      { isLive: true },
      isUnknown ? getText('notFound', locale) : describeError(error, language),
    )
  }
  return [
    buildNotice('good', { isLive: true }, getText('restored', locale)),
    buildFailure(getText('notPrepared', locale), describeError(error, language), {
      label: shopperCopy[language].retry,
      onPress,
    }),
  ]
}

function buildRestored(restored: RestoredReply, currency: string, locale: string): Child[] {
  const { checkoutUrl, shopUrl } = restored
  const aboutCoupon = checkoutUrl ? describeCoupon(restored.coupon, locale) : null
  return [
    checkoutUrl
      ? buildNotice('good', { isLive: true }, getText('restored', locale))
      : buildNotice('warn', { isLive: true }, getText('nothingLeft', locale)),
    aboutCoupon && buildNotice('warn', { isLive: true }, aboutCoupon),
    buildRestoredItems(restored, currency, locale),
    checkoutUrl
      ? buildLinkButton(getText('toCheckout', locale), checkoutUrl, { hasArrow: true })
      : buildLinkButton(getText('toShop', locale), shopUrl),
  ]
}
