import {
  alters,
  answers,
  asks,
  fills,
  hangs,
  isOwnAccount,
  isTitled,
  isViewer,
  NO_STORE,
  offers,
  presses,
  refuses,
  type State,
  says,
  waits,
} from './steps.ts'

// Settings: without a store, to a viewer, with something typed wrong, not saved, asked for.

const ANN = {
  ...{ address: 'ann@shoppers.example', addresses: ['ann@shoppers.example', '+12125550123'], names: ['Ann Archer'] },
  ...{ stores: [{ id: 'x', name: 'Maple & Clay' }], firstSeenAt: '2026-01-05T10:00:00Z' },
  counts: { carts: 2, orders: 1, messages: 4, facts: 6 },
  suppressed: [{ channel: 'sms', reason: 'unsubscribed', since: '2026-01-06T10:00:00Z' }],
  erasures: [],
}

const isOwnStore = alters('stores/check-connection', ({ store, ...rest }) => ({
  ...rest,
  store: { ...(store as object), isDemo: false },
}))

const MAIL_SERVER = {
  ...{ way: 'mailbox', from: 'recoup@localhost', mailboxUrl: 'http://localhost:3002', acceptedAt: null },
  ...{ server: null, anyPort: true, isFixed: false },
}
const MAIL_SERVER_FREE = answers('sending/mail-server', MAIL_SERVER)
const MAIL_SERVER_DOWN = {
  ...MAIL_SERVER,
  ...{ way: 'own', from: 'shop@mugs.example', mailboxUrl: null },
  server: {
    ...{ host: 'smtp.mugs.example', port: 587, security: 'starttls', user: 'shop@mugs.example', fromAddress: null },
    ...{ checkAnswer: 'User and password were accepted', checkedAt: '2026-01-05T10:00:00Z', version: 1 },
    ...{ problem: '535 5.7.8 Username and password not accepted', failingSince: '2026-01-06T10:00:00Z', triesAt: null },
  },
}

export const ofSettings: State[] = [
  {
    name: 'settings without a store',
    of: 'owner',
    path: '/settings',
    given: [NO_STORE],
    steps: [says('Not connected to any store')],
  },
  {
    name: 'store being disconnected',
    of: 'owner',
    path: '/settings',
    given: [isOwnAccount],
    steps: [presses('Disconnect Store'), asks],
  },
  {
    name: 'keys being replaced by swapped ones',
    of: 'owner',
    path: '/settings',
    given: [isOwnAccount, isOwnStore],
    steps: [
      presses('Replace keys'),
      fills('Consumer key', 'cs_0123456789'),
      fills('Consumer secret', 'ck_0123456789'),
      offers('Swap key and secret'),
    ],
  },
  {
    name: 'the doctor at work',
    of: 'owner',
    path: '/settings',
    isLoading: true,
    given: [hangs('stores/doctor')],
    steps: [(page) => page.getByRole('region', { name: 'Connection doctor' }).waitFor()],
  },
  ...[
    '/settings',
    '/settings/recovery-rules',
    '/settings/sending/sender',
    '/settings/sending/brand',
    '/settings/consent',
  ].map((path): State => {
    return { name: `${path} to a viewer`, of: 'owner', path, given: [isViewer], steps: [isTitled] }
  }),
  {
    name: 'a rule that cannot be',
    of: 'owner',
    path: '/settings/recovery-rules',
    steps: [
      fills('Messages per person', '99'),
      (page) => page.keyboard.press('Control+s'),
      says('A whole number from 1 to 20'),
    ],
  },
  {
    name: 'the words of a consent box changed and not saved',
    of: 'owner',
    path: '/settings/consent#boxes',
    steps: [fills('Text of the SMS box', 'Text me about my cart.'), offers('Save text')],
  },
  {
    name: 'a file of addresses looked at',
    of: 'owner',
    path: '/settings/consent#suppressions',
    steps: [
      presses('Import CSV'),
      (page) =>
        page.locator('input[type=file]').setInputFiles({
          ...{ name: 'old.csv', mimeType: 'text/csv' },
          buffer: Buffer.from('E-mail;Status;Comment\nann@shoppers.example;spam;by letter\nnobody;;\n'),
        }),
      offers('Import 2 rows'),
    ],
  },
  {
    name: 'a person about to be erased',
    of: 'owner',
    path: '/settings/consent?person=ann@shoppers.example#person',
    given: [answers('privacy/', { person: ANN })],
    steps: [presses('Erase this person'), (page) => page.getByLabel('Type “erase” to confirm').waitFor()],
  },
  {
    name: 'leaving without saving',
    of: 'owner',
    path: '/settings/recovery-rules',
    steps: [fills('Messages per person', '7'), presses('Appearance', 'link'), asks],
  },
  {
    name: 'brand not to be had',
    of: 'owner',
    path: '/settings/sending/brand',
    given: [refuses('stores/brand')],
    steps: [says('The brand could not be loaded')],
  },
  {
    name: 'brand on its way',
    of: 'owner',
    path: '/settings/sending/brand',
    isLoading: true,
    given: [hangs('stores/brand')],
    steps: [waits],
  },
  {
    name: 'brand without its preview',
    of: 'owner',
    path: '/settings/sending/brand',
    given: [refuses('stores/brand/preview')],
    steps: [says('The preview could not be made')],
  },
  {
    name: 'brand without a logo, with a color that cannot be read and a link that leads elsewhere',
    of: 'owner',
    path: '/settings/sending/brand',
    given: [alters('stores/brand', (said) => ({ ...said, logo: null, canUpload: true }))],
    steps: [
      (page) => page.getByRole('textbox', { name: 'Link color', exact: true }).fill('#ffcc00'),
      presses('Add link'),
      fills('Address of Instagram', 'https://shop.example/tea'),
      (page) => page.keyboard.press('Control+s'),
      says('Links on this background cannot be read well'),
      says('as this is Instagram'),
    ],
  },
  {
    name: 'a test mail that went',
    of: 'owner',
    path: '/settings/sending/mail-server',
    steps: [presses('Send test email'), says('The email is in the built-in mailbox')],
  },
  {
    name: 'a mail server that cannot be',
    of: 'owner',
    path: '/settings/sending/mail-server',
    given: [isOwnAccount, MAIL_SERVER_FREE],
    steps: [
      fills('Server', 'mail server'),
      fills('User', 'shop@mugs.example'),
      presses('Check and save'),
      says('A name such as smtp.example.com'),
    ],
  },
  {
    name: 'a mail server that takes nothing',
    of: 'owner',
    path: '/settings/sending/mail-server',
    given: [isOwnAccount, answers('sending/mail-server', MAIL_SERVER_DOWN)],
    steps: [says('smtp.mugs.example is not accepting email')],
  },
  {
    name: 'account not to be had',
    of: 'owner',
    path: '/settings/account',
    given: [refuses('auth/me')],
    steps: [says('Your account could not be loaded')],
  },
  {
    name: 'an account one may not change',
    of: 'owner',
    path: '/settings/account',
    given: [isViewer],
    steps: [says('You are a viewer')],
  },
  { name: 'logging out', of: 'owner', path: '/settings/account', steps: [presses('Log Out'), asks] },
  {
    name: 'one answer open',
    of: 'owner',
    path: '/settings/faq',
    steps: [(page) => page.getByRole('main').locator('button[aria-expanded]').nth(3).click()],
  },
]
