import { type CartView, getCart, type RestorableCart } from '../../../shared/carts/carts.ts'
import { restoreCart, restoreTexts } from '../../../shared/delivery/restore.ts'
import { ApiError, call } from '../../core/api/api.ts'
import { brokenCartTexts } from './copy.ts'
import { type Child, h } from './dom.ts'
import { askPatiently, buildHeading, isTemporary, showPage } from './page.ts'
import { buildButton, buildFailure, buildLinkButton, buildNotice, buildSkeleton } from './parts.ts'
import { buildItemsTable, buildRestoredItems } from './restore-items.ts'
import { describeCoupon, isAsAnnounced, isBought, isOnOffer, type RestoredReply } from './rules.ts'

type Cart = RestorableCart | CartView
type Press = 'continue' | 'restore'

interface State {
  cart: Cart | null
  loadError: Error | null
  /** The button pressed last. */
  pressed: Press | null
  isRestoring: boolean
  /** On the way to the store. */
  isRedirecting: boolean
  restored: RestoredReply | null
  error: Error | null
}

const TITLE = 'Your cart'
const START: State = {
  ...{ cart: null, loadError: null, pressed: null, isRestoring: false },
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
    const content = cart
      ? buildContent({ ...state, cart }, (pressed) => void restore(cart, pressed))
      : buildMissingCart(cartId, state.loadError, () => void load())
    showPage({ title: TITLE, size: 620, language: 'en', shop }, content)
  }
  void load()
}

/** What the page shows while it loads, or without a cart. */
function buildMissingCart(cartId: string, error: Error | null, onRetry: () => void): Child {
  const warn = (title: string, hint: string) => buildNotice('warn', { title, isLive: true }, hint)
  const content =
    cartId === ''
      ? warn(restoreTexts.noCartId, brokenCartTexts.noCartId)
      : error && !isTemporary(error)
        ? warn(restoreTexts.notFound, brokenCartTexts.notFound)
        : error
          ? buildFailure('Your cart could not be loaded', error.message, { label: 'Retry', onPress: onRetry })
          : buildSkeleton(3, 'Loading')
  return [buildHeading(TITLE), content]
}

type Loaded = State & { cart: Cart }

function buildContent(state: Loaded, onPress: (press: Press) => void): Child {
  const { cart, restored, isRedirecting } = state
  const isOfShop = 'storeName' in cart
  if (isBought(cart) || restored?.isOrdered) return buildBought(restored?.shopUrl ?? (isOfShop ? cart.shopUrl : null))
  const isShown = restored !== null && !isRedirecting
  return [
    h('div', {}, buildHeading(TITLE), h('p', { class: 'hint' }, 'We saved your items.')),
    !isOfShop &&
      buildNotice('info', {}, 'You are signed in to this store. Restoring the cart here is a test and is not counted.'),
    ...(isShown ? buildRestored(restored, cart.currency) : buildOffer(state, onPress)),
  ]
}

const NOTHING_LEFT = 'None of the items in this cart can be restored. Please choose again in the shop.'

function buildOffer(state: Loaded, onPress: (press: Press) => void): Child[] {
  const { cart } = state
  return [
    buildItemsTable(cart),
    state.error && buildRestoreFailure(state.error, () => onPress(state.pressed ?? 'restore')),
    !isOnOffer(cart) && buildNotice('warn', {}, NOTHING_LEFT),
    buildRestoreButtons(state, onPress),
    'brand' in cart && cart.brand.promise && h('p', { class: 'hint', 'data-key': 'promise' }, cart.brand.promise),
  ]
}

const buildBought = (shopUrl: string | null): Child => [
  buildHeading(restoreTexts.ordered),
  h('p', {}, 'You have already bought the items in this cart, so there is nothing to restore. Thank you!'),
  shopUrl && buildLinkButton('Go to the shop', shopUrl),
]

/** Two buttons (A1): continue to the store's filled checkout, or first see what is restored. */
function buildRestoreButtons(state: Loaded, onPress: (press: Press) => void): HTMLElement {
  const { cart, pressed, isRestoring, isRedirecting } = state
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
      ? buildPress('Continue to checkout', 'continue', false)
      : 'shopUrl' in cart && buildLinkButton('Go to the shop', cart.shopUrl),
    buildPress('Restore Cart', 'restore', true),
  )
}

/** The items stay in this browser after any reply of the server; failures are shown beside them. */
function buildRestoreFailure(error: Error, onPress: () => void): Child {
  if (!isTemporary(error)) {
    const isUnknown = error instanceof ApiError && error.status === 404
    return buildNotice('bad', { isLive: true }, isUnknown ? restoreTexts.notFound : error.message)
  }
  return [
    buildNotice('good', { isLive: true }, restoreTexts.restored),
    buildFailure('Your checkout could not be prepared', error.message, { label: 'Retry', onPress }),
  ]
}

function buildRestored(restored: RestoredReply, currency: string): Child[] {
  const { checkoutUrl, message, shopUrl } = restored
  const aboutCoupon = checkoutUrl ? describeCoupon(restored.coupon) : null
  return [
    checkoutUrl ? buildNotice('good', { isLive: true }, message) : buildNotice('warn', { isLive: true }, NOTHING_LEFT),
    aboutCoupon && buildNotice('warn', { isLive: true }, aboutCoupon),
    buildRestoredItems(restored, currency),
    checkoutUrl
      ? buildLinkButton('Continue to checkout', checkoutUrl, { hasArrow: true })
      : buildLinkButton('Go to the shop', shopUrl),
  ]
}
