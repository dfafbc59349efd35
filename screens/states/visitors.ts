import { login, me } from '../../shared/access/auth.ts'
import { secondFactorTexts } from '../../shared/access/second-factor.ts'
import { subscriptionStatus } from '../../shared/billing/billing.ts'
import { getCart, type RestorableCart } from '../../shared/carts/carts.ts'
import type { ShopBrand } from '../../shared/carts/shop-brand.ts'
import { readPreferences } from '../../shared/delivery/preferences.ts'
import { readUnsubscribe, restoreCart, restoreTexts } from '../../shared/delivery/restore.ts'
import { DEFAULT_BRAND } from '../../shared/messages/brand.ts'
import { acceptInvitation, readInvitation, teamTexts } from '../../shared/workspace/team.ts'
import type { Api } from '../api.ts'
import {
  fillField,
  pressRole,
  type State,
  waitForButton,
  waitForHeading,
  waitForSelector,
  waitForText,
} from './state.ts'

// Signing in and the pages that message links open: refused, expired, and a cart to restore.

const brand: ShopBrand = {
  logo: null,
  promise: '',
  fontStack: DEFAULT_BRAND.fontStack,
  radius: DEFAULT_BRAND.radius,
  button: DEFAULT_BRAND.button,
  accent: DEFAULT_BRAND.accent,
  text: DEFAULT_BRAND.text,
  ground: DEFAULT_BRAND.ground,
}
const darkBrand: ShopBrand = {
  ...brand,
  button: '#e6ff4f',
  accent: '#e6ff4f',
  text: '#f4f4f5',
  ground: '#101114',
  promise: 'Free returns within 30 days',
}
const yellowBrand: ShopBrand = { ...brand, button: '#ffdd00', accent: '#000000', text: '#000000', radius: 0 }

const outcomes = ['ok', 'quantity_clamped', 'choose_again', 'gone'] as const
const cart: RestorableCart = {
  items: outcomes.map((outcome, index) => ({
    product_id: String(index),
    product_name: `Hand-thrown teapot no. ${index}`,
    price: 120,
    quantity: 2,
    outcome,
    ...{ image_url: null, now: { quantity: 1, price: 110 }, url: 'https://shop.example/teapot/' },
  })),
  ...{ total: 960, currency: 'USD', locale: 'en-US', storeName: 'Tea & Co', brand, shopUrl: 'https://shop.example' },
  expiresAt: '2027-01-01',
  isOrdered: false,
  coupon: null,
}

const buildRestoreState = (
  name: string,
  more: Partial<RestorableCart>,
  steps: State['steps'],
  given?: State['given'],
): State => ({
  name,
  steps,
  as: 'visitor',
  path: '/cart/recover?cart_id=rt_x',
  given(api, page) {
    api.answer(getCart, { cart: { ...cart, ...more } })
    return given?.(api, page)
  },
})
const offersCheckout = waitForButton('Continue to checkout')
const restores = pressRole('Restore Cart')

const serveRestored = (api: Api) =>
  api.answer(restoreCart, {
    message: restoreTexts.restored,
    items: cart.items.map(({ now, quantity, price, image_url: _, ...item }) => ({
      ...item,
      ...now,
      before: { quantity, price },
    })),
    checkoutUrl: `${cart.shopUrl}/checkout/`,
    shopUrl: cart.shopUrl,
    isOrdered: false,
    isTest: false,
    coupon: null,
  })

export const visitorStates: State[] = [
  {
    name: 'first visit while loading',
    path: '/dashboard',
    isLoading: true,
    storage: { user: null, isConnected: null, store_connection: null },
    given(api) {
      api.hold(subscriptionStatus)
      api.hold(me)
    },
    steps: [waitForText('Loading...')],
  },
  {
    name: 'sign-in, refused',
    as: 'visitor',
    path: '/login',
    given: (api) => api.fail(login, 401, { error: 'Login failed. Please check your credentials.' }),
    steps: [
      fillField('Email', 'ada@owners.example'),
      fillField('Password', 'secret'),
      pressRole(/^Sign in$/),
      waitForText('Login failed.'),
    ],
  },
  {
    name: 'sign-up without any field filled in',
    as: 'visitor',
    path: '/register',
    steps: [pressRole('Create account'), waitForSelector('[aria-invalid=true]')],
  },
  {
    name: 'sign-in after the password is forgotten',
    as: 'visitor',
    path: '/login',
    steps: [pressRole('Forgot password?'), waitForButton('Send reset link')],
  },
  {
    name: 'sign-in after the session expired',
    as: 'visitor',
    path: '/carts',
    storage: { token: 'of-yesterday' },
    given: (api) => api.fail(me, 401),
    steps: [waitForText('Your session has expired. Please sign in again.')],
  },
  {
    name: 'reset link without token',
    as: 'visitor',
    path: '/reset-password',
    steps: [waitForText('Invalid reset link.')],
  },
  {
    name: 'invitation of a user with two-factor sign-in',
    as: 'visitor',
    path: '/invite?token=x',
    given(api) {
      api.fail(acceptInvitation, 401, { error: secondFactorTexts.codeNeeded, code: 'second_factor' })
      api.answer(readInvitation, {
        accountName: 'Maple & Clay',
        invitedBy: 'Ada',
        email: 'mia@team.example',
        role: 'member',
        isKnown: true,
        isYou: false,
      })
    },
    steps: [fillField('Your password', 'secret'), pressRole(/^Join/), waitForText('Code from your authenticator app')],
  },
  {
    name: 'invitation, not valid',
    as: 'visitor',
    path: '/invite?token=x',
    given: (api) => api.fail(readInvitation, 400, { error: teamTexts.invalidInvitation }),
    steps: [waitForText(teamTexts.invalidInvitation)],
  },
  {
    name: 'restore link, not valid',
    as: 'visitor',
    path: '/cart/recover?cart_id=rt_x',
    given: (api) => api.fail(getCart, 404, { error: restoreTexts.notFound }),
    steps: [waitForHeading, waitForText(restoreTexts.notFound)],
  },
  buildRestoreState('cart to restore with changed items', {}, [offersCheckout]),
  buildRestoreState('cart to restore in the colors of a dark shop', { brand: darkBrand }, [
    offersCheckout,
    waitForText(darkBrand.promise),
  ]),
  buildRestoreState('cart to restore in black and yellow', { brand: yellowBrand }, [offersCheckout]),
  buildRestoreState('cart to restore while the server is away', {}, [restores, waitForText('Back soon.')], (api) =>
    api.fail(restoreCart, 503, { error: 'Back soon.' }),
  ),
  buildRestoreState(
    'cart restored with an item to choose again',
    {},
    [restores, waitForText('Cart restored!')],
    serveRestored,
  ),
  buildRestoreState('cart to restore that was bought', { isOrdered: true }, [waitForText(restoreTexts.ordered)]),
  {
    name: 'preferences link, not valid',
    as: 'visitor',
    path: '/preferences?token=x',
    given: (api) => api.fail(readPreferences, 404),
    steps: [waitForText('not complete')],
  },
  {
    name: 'unsubscribe link, not valid',
    as: 'visitor',
    path: '/unsubscribe?token=x',
    given: (api) => api.fail(readUnsubscribe, 404),
    steps: [waitForHeading],
  },
]
