import { DEFAULT_BRAND } from '../../shared/brand.ts'
import { answers, fills, hangs, isTitled, offers, presses, type State, says, shows } from './steps.ts'

// At the door: nothing known yet, refused, expired, and links that no longer lead anywhere.

const outcomes = ['ok', 'quantity_clamped', 'choose_again', 'gone']

const DARK_SHOP = {
  ...DEFAULT_BRAND,
  ...{
    button: '#e6ff4f',
    accent: '#e6ff4f',
    text: '#f4f4f5',
    ground: '#101114',
    promise: 'Free returns within 30 days',
  },
}
const YELLOW_SHOP = { ...DEFAULT_BRAND, button: '#ffdd00', accent: '#000000', text: '#000000', radius: 0 }

function aCart(more: object = {}) {
  const items = outcomes.map((outcome, index) => ({
    ...{ product_id: String(index), product_name: `Hand-thrown teapot no. ${index}`, price: 120, quantity: 2, outcome },
    ...{ image_url: null, now: { quantity: 1, price: 110 }, url: 'https://shop.example/teapot/' },
  }))
  const shop = { storeName: 'Tea & Co', brand: DEFAULT_BRAND, shopUrl: 'https://shop.example' }
  return { cart: { items, total: 960, currency: 'USD', ...shop, expiresAt: '2027-01-01', isOrdered: false, ...more } }
}

function restoredOf({ cart: { items, shopUrl } }: ReturnType<typeof aCart>) {
  const message = 'Cart restored! You can now continue shopping or checkout.'
  const put = items.map(({ now, quantity, price, ...item }) => ({ ...item, ...now, before: { quantity, price } }))
  return { message, items: put, checkoutUrl: `${shopUrl}/checkout/`, shopUrl, isOrdered: false, isTest: false }
}

export const atTheDoor: State[] = [
  {
    name: 'nothing known yet',
    of: 'owner',
    path: '/dashboard',
    isLoading: true,
    given: [
      (page) =>
        page.evaluate(() => {
          for (const key of ['user', 'isConnected', 'store_connection']) localStorage.removeItem(key)
        }),
      hangs('subscribe/status'),
      hangs('auth/me'),
    ],
    steps: [says('Loading...')],
  },
  {
    name: 'sign-in refused',
    of: 'visitor',
    path: '/login',
    given: [answers('auth/login', { error: 'Login failed. Please check your credentials.', code: 'invalid' }, 401)],
    steps: [
      fills('Email', 'ada@owners.example'),
      fills('Password', 'secret'),
      presses(/^Sign in$/),
      says('Login failed.'),
    ],
  },
  {
    name: 'sign-up with everything missing',
    of: 'visitor',
    path: '/register',
    steps: [presses('Create account'), shows('[aria-invalid=true]')],
  },
  {
    name: 'password forgotten',
    of: 'visitor',
    path: '/login',
    steps: [presses('Forgot password?'), offers('Send reset link')],
  },
  {
    name: 'session expired',
    of: 'visitor',
    path: '/carts',
    given: [(page) => page.evaluate(() => localStorage.setItem('token', 'of-yesterday'))],
    steps: [says('Your session has expired. Please sign in again.')],
  },
  {
    name: 'reset link without token',
    of: 'visitor',
    path: '/reset-password',
    steps: [says('Invalid reset link.')],
  },
  {
    name: 'invitation of somebody with two-factor sign-in',
    of: 'visitor',
    path: '/invite?token=x',
    given: [
      answers(
        'team/invitation/accept',
        { error: 'Enter the code of your authenticator app.', code: 'second_factor' },
        401,
      ),
      answers('team/invitation', {
        ...{ accountName: 'Maple & Clay', invitedBy: 'Ada', email: 'mia@team.example', role: 'member' },
        ...{ isKnown: true, isYou: false },
      }),
    ],
    steps: [
      fills('Your password', 'secret'),
      (page) => page.unroute('**/api/team/invitation*'),
      presses(/^Join/),
      says('Code of your authenticator app'),
    ],
  },
  { name: 'invitation not valid', of: 'visitor', path: '/invite?token=x', steps: [says('no longer valid')] },
  { name: 'restore link not valid', of: 'visitor', path: '/cart/recover?cart_id=rt_x', steps: [isTitled] },
  {
    name: 'a cart to restore, not all as it was',
    of: 'visitor',
    path: '/cart/recover?cart_id=rt_x',
    given: [answers('carts/rt_x', aCart())],
    steps: [offers('Continue to checkout')],
    widths: [360, 1280],
  },
  {
    name: 'a cart to restore, in the colors of a dark shop',
    of: 'visitor',
    path: '/cart/recover?cart_id=rt_x',
    given: [answers('carts/rt_x', aCart({ brand: DARK_SHOP }))],
    steps: [offers('Continue to checkout'), says('Free returns within 30 days')],
    widths: [360, 1280],
  },
  {
    name: 'a cart to restore, in black and yellow',
    of: 'visitor',
    path: '/cart/recover?cart_id=rt_x',
    given: [answers('carts/rt_x', aCart({ brand: YELLOW_SHOP }))],
    steps: [offers('Continue to checkout')],
    widths: [360, 1280],
  },
  {
    name: 'a cart restored while the server is away',
    of: 'visitor',
    path: '/cart/recover?cart_id=rt_x',
    given: [answers('carts/rt_x', aCart()), answers('carts/rt_x/restore', { error: 'Back soon.' }, 503)],
    steps: [presses('Restore Cart'), says('Back soon.')],
    widths: [360, 1280],
  },
  {
    name: 'a cart restored, but for what has to be chosen again',
    of: 'visitor',
    path: '/cart/recover?cart_id=rt_x',
    given: [answers('carts/rt_x', aCart()), answers('carts/rt_x/restore', restoredOf(aCart()))],
    steps: [presses('Restore Cart'), says('Cart restored!')],
    widths: [360, 1280],
  },
  {
    name: 'a cart that was bought',
    of: 'visitor',
    path: '/cart/recover?cart_id=rt_x',
    given: [answers('carts/rt_x', aCart({ isOrdered: true }))],
    steps: [says('You have already ordered.')],
  },
  { name: 'preferences link not valid', of: 'visitor', path: '/preferences?token=x', steps: [says('not complete')] },
  { name: 'unsubscribe link not valid', of: 'visitor', path: '/unsubscribe?token=x', steps: [isTitled] },
]
