import { answers, fills, hangs, isTitled, offers, presses, type State, says, shows } from './steps.ts'

// At the door: nothing known yet, refused, expired, and links that no longer lead anywhere.

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
  { name: 'invitation not valid', of: 'visitor', path: '/invite?token=x', steps: [says('no longer valid')] },
  { name: 'restore link not valid', of: 'visitor', path: '/cart/recover?cart_id=rt_x', steps: [isTitled] },
  { name: 'preferences link not valid', of: 'visitor', path: '/preferences?token=x', steps: [says('not complete')] },
  { name: 'unsubscribe link not valid', of: 'visitor', path: '/unsubscribe?token=x', steps: [isTitled] },
]
