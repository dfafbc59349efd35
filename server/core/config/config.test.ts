import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { ConfigError, ensureAppSecret, portSettings, readConfig, secretSettings, settingNames } from './config.ts'

function findMistakes(env: Record<string, string>) {
  try {
    readConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes
    throw error
  }
}

test('an empty environment gives a local Recoup with demo, private stores and test billing', () => {
  expect(readConfig({})).toMatchObject({
    port: 3000,
    host: '127.0.0.1',
    publicUrl: 'http://localhost:3000',
    dataDir: path.resolve('data'),
    isLocal: true,
    isDemo: true,
    allowsPrivateStores: true,
    isBillingTestMode: true,
    isDatabasePrepared: true,
    databasePool: 16,
    databaseJobsPool: 6,
    roles: ['web', 'worker'],
    mailFrom: 'Recoup <recoup@localhost>',
  })
})

test('the configuration is frozen', () => {
  const config = readConfig({})
  expect(() => Object.assign(config, { port: 1 })).toThrow(TypeError)
})

test.each([
  [{ HOST: '0.0.0.0' }],
  [{ HOST: '10.1.2.3' }],
  [{ PUBLIC_URL: 'https://recoup.example.com' }],
  [{ HOST: '127.0.0.1', PUBLIC_URL: 'https://localhost.example.com' }],
])('a publicly reachable Recoup has no demo and no development access: %j', (env) => {
  const off = { isLocal: false, isDemo: false, allowsPrivateStores: false, isBillingTestMode: false }
  expect(readConfig(env)).toMatchObject(off)
})

test.each([
  [{ HOST: 'localhost' }],
  [{ HOST: '::1' }],
  [{ HOST: '127.0.0.2', PUBLIC_URL: 'http://[::1]:3000' }],
  [{ PUBLIC_URL: 'http://recoup.localhost:3000/' }],
])('every spelling of a loopback address is local: %j', (env) => {
  expect(readConfig(env).isLocal).toBe(true)
})

test('an explicit switch overrides the local default', () => {
  expect(readConfig({ DEMO: 'off', ALLOW_PRIVATE_STORES: 'off' })).toMatchObject({
    isDemo: false,
    allowsPrivateStores: false,
  })
  expect(readConfig({ HOST: '0.0.0.0', DEMO: 'on' }).isDemo).toBe(true)
})

test('a Stripe key enables real billing unless test mode is set', () => {
  expect(readConfig({ STRIPE_SECRET_KEY: 'sk_test_1' }).isBillingTestMode).toBe(false)
  expect(readConfig({ STRIPE_SECRET_KEY: 'sk_test_1', BILLING_TEST_MODE: 'on' }).isBillingTestMode).toBe(true)
})

test('the public address follows HOST and PORT and drops a trailing slash', () => {
  expect(readConfig({ PORT: '8080' }).publicUrl).toBe('http://localhost:8080')
  expect(readConfig({ HOST: '10.1.2.3', PORT: '80' }).publicUrl).toBe('http://10.1.2.3:80')
  expect(readConfig({ HOST: '2001:db8::1' }).publicUrl).toBe('http://[2001:db8::1]:3000')
  expect(readConfig({ PUBLIC_URL: 'https://recoup.example.com/' }).publicUrl).toBe('https://recoup.example.com')
})

test('an empty variable counts as unset', () => {
  expect(readConfig({ PORT: '', SMTP_URL: ' ', DATABASE_URL: '' })).toMatchObject({
    port: 3000,
    smtpUrl: undefined,
    databaseUrl: undefined,
  })
})

test('the direct database defaults to the database', () => {
  const databaseUrl = 'postgres://app@/recoup?host=/tmp/x&port=5432'
  expect(readConfig({ DATABASE_URL: databaseUrl })).toMatchObject({ databaseUrl, databaseDirectUrl: databaseUrl })
})

test('reports all mistakes together', () => {
  const wrong = {
    PORT: '99999',
    DEMO: 'yes',
    ROLES: 'web,cook',
    SMTP_URL: 'mail.example.com',
    LOG_LEVEL: 'loud',
    APP_SECRET: 'short',
  }
  expect(findMistakes(wrong)).toEqual([
    'PORT must be a whole number from 1 to 65535.',
    'APP_SECRET must have at least 32 characters.',
    'ROLES must be web, worker or web,worker.',
    'SMTP_URL must look like smtp://user:password@host:587 or smtps://user:password@host:465.',
    'DEMO must be on or off.',
    'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent.',
  ])
})

test.each([
  ['PUBLIC_URL', 'recoup.example.com'],
  ['PUBLIC_URL', 'https://example.com/recoup'],
  ['PUBLIC_URL', 'ftp://example.com'],
  ['DATABASE_URL', 'mysql://x/y'],
  ['DATABASE_DIRECT_URL', 'postgres://x/y'],
  ['SMTP_POOL', '21'],
  ['SMTP_POOL', '0'],
  ['DEMO_DAYS', '29'],
  ['DEMO_DAYS', '91'],
  ['PORT', '3e3'],
  ['PORT', '0'],
  ['MAIL_FROM', 'nobody'],
  ['SUPPORT_EMAIL', 'nobody'],
  ['HOST', 'http://x'],
  ['STRIPE_SECRET_KEY', 'pk_live_1'],
  ['DATABASE_PREPARED', 'true'],
  ['DATABASE_POOL', '3'],
  ['DATABASE_JOBS_POOL', '51'],
  ['GEOIP_DB', '/nowhere/GeoLite2-City.mmdb'],
  ['DEMO_HOST', '10.0.0.1'],
  ['INSTANCE_NAME', 'Tea <b>'],
  ['INSTANCE_LOGO', '/nowhere/logo.svg'],
  ['INSTANCE_LOGO', 'package.json'],
  ['IMPRINT_URL', 'javascript:alert(1)'],
  ['REGISTRATION', 'maybe'],
  ['API_RATE_LIMIT', '59'],
])('%s=%s gives one mistake that names the setting', (name, value) => {
  const mistakes = findMistakes({ [name]: value })
  expect(mistakes).toHaveLength(1)
  expect(mistakes[0]).toContain(name)
})

test('a mistake never contains a secret', () => {
  const wrong = {
    APP_SECRET: 'hunter2',
    SMTP_URL: 'http://me:hunter2@host',
    DATABASE_URL: 'http://me:hunter2@host',
    STRIPE_SECRET_KEY: 'hunter2',
  }
  expect(findMistakes(wrong)).toHaveLength(4)
  expect(findMistakes(wrong).join()).not.toContain('hunter2')
})

test('two services on one port are a mistake only when both listen', () => {
  expect(findMistakes({ MAILBOX_PORT: '3000' })).toEqual([
    'MAILBOX_PORT and PORT are both 3000. Give one of them another port.',
  ])
  expect(findMistakes({ DEMO_STORE_PORT: '3000', DEMO: 'off' })).toEqual([])
  expect(findMistakes({ DEMO_SHOPIFY_PORT: '3000' })).toEqual([])
  expect(findMistakes({ DEMO_SHOPIFY_PORT: '3000', DEMO_SHOPIFY: 'on' })).toEqual([
    'DEMO_SHOPIFY_PORT and PORT are both 3000. Give one of them another port.',
  ])
  expect(portSettings(readConfig({ DEMO: 'off', SMTP_URL: 'smtp://localhost:25' }))).toEqual({ PORT: 3000 })
})

test('a Shopify demo store requires the demo', () => {
  expect(findMistakes({ DEMO: 'off', DEMO_SHOPIFY: 'on' })).toEqual([
    'DEMO_SHOPIFY is on, but DEMO is not, so there is no demo account to connect it to.',
  ])
})

test('bounces and provider reports require all of their settings and a separate port', () => {
  expect(findMistakes({ BOUNCE_SMTP_PORT: '2525' })).toEqual(['BOUNCE_SMTP_PORT is set, but BOUNCE_ADDRESS is not.'])
  expect(findMistakes({ BOUNCE_ADDRESS: 'a-name-that-is-too-long@x.example' })[0]).toMatch(/at most 21 letters/)
  expect(findMistakes({ BOUNCE_ADDRESS: 'b@x.example', BOUNCE_SMTP_PORT: '3000' })).toEqual([
    'BOUNCE_SMTP_PORT and PORT are both 3000. Give one of them another port.',
  ])
  expect(findMistakes({ MAIL_EVENTS: 'ses', MAIL_EVENTS_KEY: 'k'.repeat(20) })).toHaveLength(1)
  const all = { MAIL_EVENTS: 'ses', MAIL_EVENTS_KEY: 'k'.repeat(20), MAIL_EVENTS_SECRET: 'arn:aws:sns:x' }
  expect(readConfig(all).mailEvents).toEqual({ provider: 'ses', key: 'k'.repeat(20), secret: 'arn:aws:sns:x' })
})

test('.env.example lists exactly the existing settings', () => {
  const example = fs.readFileSync('.env.example', 'utf8')
  const listed = [...example.matchAll(/^# ([A-Z_]+)=/gm)].map(([, name]) => name)
  expect(listed).toEqual(settingNames)
})

describe('secrets in files', () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-secrets-'))
  afterAll(() => fs.rmSync(dir, { recursive: true }))
  const write = (name: string, content: string) => {
    const file = path.join(dir, name)
    fs.writeFileSync(file, content)
    return file
  }

  test('NAME_FILE gives the trimmed content of the file', () => {
    const env = {
      APP_SECRET_FILE: write('app', `${'s'.repeat(32)}\n`),
      DATABASE_URL_FILE: write('database', ' postgres://app:hunter2@db/recoup\r\n'),
      DATABASE_URL: '',
    }
    expect(readConfig(env)).toMatchObject({
      appSecret: 's'.repeat(32),
      databaseUrl: 'postgres://app:hunter2@db/recoup',
    })
  })

  test('the content is checked like the setting, and never repeated', () => {
    expect(findMistakes({ SMTP_URL_FILE: write('smtp', 'hunter2') })).toEqual([
      'SMTP_URL must look like smtp://user:password@host:587 or smtps://user:password@host:465.',
    ])
  })

  test('both forms, a missing file and an empty file are one sentence each', () => {
    const env = {
      SMTP_URL: 'smtp://localhost',
      SMTP_URL_FILE: write('smtp', 'smtp://localhost'),
      STRIPE_SECRET_KEY_FILE: path.join(dir, 'missing'),
      METRICS_TOKEN_FILE: dir,
      APP_SECRET_FILE: write('empty', '\n'),
    }
    expect(findMistakes(env)).toEqual([
      'The file in APP_SECRET_FILE is empty.',
      'SMTP_URL and SMTP_URL_FILE are both set. Set one of them.',
      'The file in STRIPE_SECRET_KEY_FILE cannot be read.',
      'The file in METRICS_TOKEN_FILE cannot be read.',
    ])
  })

  test('every setting that holds a secret can be given as a file', () => {
    const isSecret = (name: string) => /SECRET|TOKEN|KEY$|^(DATABASE|SMTP).*_URL$/.test(name)
    expect(settingNames.filter((name) => isSecret(name) && !name.endsWith('TLS_KEY'))).toEqual(
      secretSettings.filter(isSecret),
    )
  })

  test('a path is read for secrets only', () => {
    expect(readConfig({ COMPANY_NAME_FILE: write('name', 'Shop Ltd') }).companyName).toBe('Recoup')
  })
})

test('the secret is generated once, readable by its owner only, and kept', () => {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'recoup-config-'))
  const config = { appSecret: undefined, dataDir }
  const secret = ensureAppSecret(config)
  expect(secret.length).toBeGreaterThanOrEqual(43)
  expect(fs.statSync(path.join(dataDir, 'app-secret')).mode & 0o777).toBe(0o600)
  expect(ensureAppSecret(config)).toBe(secret)
  expect(ensureAppSecret({ ...config, appSecret: 'x'.repeat(32) })).toBe('x'.repeat(32))
  fs.writeFileSync(path.join(dataDir, 'app-secret'), '')
  expect(() => ensureAppSecret(config)).toThrow('damaged')
  fs.rmSync(dataDir, { recursive: true })
})

test('Stripe takes one key and at most two secrets, and refuses a live key in test billing', () => {
  expect(readConfig({}).stripe).toBeNull()
  const env = { STRIPE_SECRET_KEY: 'sk_live_1', STRIPE_WEBHOOK_SECRET: 'whsec_a, whsec_b', STRIPE_AUTOMATIC_TAX: 'on' }
  expect(readConfig(env)).toMatchObject({
    isBillingTestMode: false,
    stripe: { secretKey: 'sk_live_1', webhookSecrets: ['whsec_a', 'whsec_b'], computesTax: true },
  })
  expect(findMistakes({ ...env, BILLING_TEST_MODE: 'on' })).toEqual([
    'BILLING_TEST_MODE is on with a live Stripe key, so anyone could choose a plan without paying. Turn it off, or use a test key.',
  ])
  expect(findMistakes({ ...env, STRIPE_WEBHOOK_SECRET: 'a,b' })).toEqual([
    'STRIPE_WEBHOOK_SECRET must begin with whsec_.',
  ])
  expect(findMistakes({ DEFAULT_PLAN: 'gold' })).toEqual(['DEFAULT_PLAN must be free, starter or growth.'])
})
