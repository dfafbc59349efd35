import { expect, test } from 'vitest'
import { listAbandonedCarts } from '../shared/carts/carts.ts'
import { cartEligibility, lastMessage, readBudget, saveBudget } from '../shared/delivery/reminders.ts'
import { previewMessage } from '../shared/marketing/message-preview.ts'
import { measureSms } from '../shared/messages/sms.ts'
import {
  chooseWhatsappTemplate,
  type ListedTemplate,
  readTextChannels,
  removeSmsChannel,
  saveSmsChannel,
  saveWhatsappChannel,
  type TextChannelView,
} from '../shared/messages/text-channels.ts'
import { fixture } from './api.ts'
import { checkLayout, createBillingScreen } from './billing-scene.ts'

// SMS and WhatsApp: provider settings and budget, and the length of an SMS before it is sent.

const app = createBillingScreen()
const findCard = (name: string) => app.page.getByRole('region', { name, exact: true })
const SID = `AC${'b'.repeat(32)}`

/** As for an account that may enter credentials. */
const buildChannel = (channel: 'sms' | 'whatsapp', changes: Partial<TextChannelView> = {}): TextChannelView => ({
  ...fixture(readTextChannels)[channel],
  isFixed: false,
  identity: {},
  senders: [],
  template: null,
  ...changes,
})

const buildTemplate = (name: string, text: string, changes: Partial<ListedTemplate> = {}): ListedTemplate => ({
  name,
  title: name,
  language: 'en_US',
  category: 'marketing',
  status: 'approved',
  text,
  buttonUrlPrefix: null,
  problem: null,
  ...changes,
})

const answerChannels = (sms = buildChannel('sms'), whatsapp = buildChannel('whatsapp')) =>
  app.api.answer(readTextChannels, { sms, whatsapp })

test.each([
  ['SMS', 'sms'],
  ['WhatsApp', 'whatsapp'],
] as const)('%s messages go to the built-in phones until credentials are entered, and the card states it', async (name, path) => {
  answerChannels()
  await app.open(`/settings/sending/${path}`)
  await findCard(name).getByText('Phone sandbox', { exact: true }).waitFor()
  const phones = findCard(name).getByRole('link', { name: 'Open the phones' })
  await expect.poll(() => phones.getAttribute('href')).toBe('https://mailbox.example/phone')
  await checkLayout(app, 'main')
})

test('Twilio’s credentials are validated, refused with Twilio’s message, then saved; the token is not shown again', async () => {
  answerChannels()
  app.api.fail(saveSmsChannel, 422, { error: '20003 Authenticate', code: 'unprocessable' })
  await app.open('/settings/sending/sms')
  const sms = findCard('SMS')
  const token = sms.getByRole('textbox', { name: 'Auth token' })
  const save = sms.getByRole('button', { name: 'Check and save' })
  await sms.getByLabel('Account SID').fill('AC1')
  await save.click()
  await sms.getByText('AC and 32 digits').waitFor()
  expect(app.api.calls(saveSmsChannel)).toEqual([])
  await sms.getByLabel('Account SID').fill(SID)
  await token.fill('wrong')
  await sms.getByLabel('Sender for all countries').fill('+12025550100')
  await save.click()
  await sms.getByRole('alert').getByText('20003 Authenticate').waitFor()
  app.api.answer(
    saveSmsChannel,
    buildChannel('sms', {
      state: 'ready',
      provider: 'twilio',
      identity: { accountSid: SID },
      version: 1,
      isReachable: false,
      senders: [{ country: null, sender: '+12025550100' }],
      checkAnswer: 'Account “Kiln Road”, active',
      hooks: [{ label: 'A message comes in', value: 'https://recoup.example/api/hooks/twilio/key' }],
    }),
  )
  await token.fill('right')
  await save.click()
  await sms.getByText('Ready', { exact: true }).waitFor()
  await sms.getByText('Account “Kiln Road”, active').waitFor()
  await sms.getByText('Twilio cannot reach this server').waitFor()
  await expect.poll(() => token.inputValue()).toBe('')
  await expect
    .poll(() => app.api.calls(saveSmsChannel).at(-1)!.body)
    .toEqual({
      accountSid: SID,
      authToken: 'right',
      version: 0,
      senders: [{ country: null, sender: '+12025550100' }],
    })
  await checkLayout(app, 'main')
})

test('WhatsApp lists templates with their approval, and the chosen one gets its variables', async () => {
  answerChannels()
  const text = 'Hi {{1}}, you left something in your cart at {{2}}: {{3}} for {{4}}'
  const ready = buildChannel('whatsapp', {
    state: 'ready',
    provider: 'meta',
    identity: { phoneNumberId: '10654', businessAccountId: '91065' },
    version: 1,
    templatesAt: fixture(readTextChannels).sms.checkedAt,
    templates: [
      buildTemplate('cart_reminder', text),
      buildTemplate('new_reminder', text, { status: 'pending', problem: 'WhatsApp has not approved it (pending).' }),
    ],
  })
  app.api.answer(saveWhatsappChannel, ready)
  app.api.answer(chooseWhatsappTemplate, ({ body }) => ({ ...ready, template: body }))
  await app.open('/settings/sending/whatsapp')
  const whatsapp = findCard('WhatsApp')
  await whatsapp.getByLabel('Phone number ID').fill('10654')
  await whatsapp.getByLabel('WhatsApp Business Account ID').fill('91065')
  await whatsapp.getByRole('textbox', { name: 'Access token' }).fill('EAA')
  await whatsapp.getByRole('textbox', { name: 'App secret' }).fill('app')
  await whatsapp.getByRole('button', { name: 'Check and save' }).click()
  await whatsapp.getByText('Ready', { exact: true }).waitFor()
  await expect
    .poll(() => app.api.calls(saveWhatsappChannel).map(({ body }) => body))
    .toEqual([
      {
        provider: 'meta',
        phoneNumberId: '10654',
        businessAccountId: '91065',
        accessToken: 'EAA',
        appSecret: 'app',
        version: 0,
      },
    ])
  await whatsapp.getByText('All templates and their approval').click()
  await whatsapp.getByText('WhatsApp has not approved it (pending).').waitFor()
  const template = whatsapp.getByRole('combobox', { name: 'Template' })
  await expect.poll(() => template.getByRole('option').allInnerTexts()).toEqual(['Choose…', 'cart_reminder (en_US)'])
  await template.selectOption('cart_reminder en_US')
  const variables = ['customer_name', 'store_name', 'cart_items', 'cart_total'] as const
  for (const [at, variable] of variables.entries()) await whatsapp.getByLabel(`{{${at + 1}}} is`).selectOption(variable)
  await whatsapp.getByText('Hi Ada, you left something in your cart at Tea & Co: 2 × Earl Grey').waitFor()
  const use = whatsapp.getByRole('button', { name: 'Use this template' })
  await use.click()
  await expect.poll(() => use.isDisabled()).toBe(true)
  await expect
    .poll(() => app.api.calls(chooseWhatsappTemplate).map(({ body }) => body))
    .toEqual([{ name: 'cart_reminder', language: 'en_US', variables }])
  await checkLayout(app, 'main')
})

test('a chosen template is shown with its variables', async () => {
  const variables = ['customer_name', 'cart_total'] as const
  const templates = [buildTemplate('cart_reminder', 'Hi {{1}}, {{2}}')]
  const template = { name: 'cart_reminder', language: 'en_US', variables: [...variables] }
  answerChannels(
    buildChannel('sms'),
    buildChannel('whatsapp', { state: 'ready', provider: 'meta', templates, template }),
  )
  await app.open('/settings/sending/whatsapp')
  await expect.poll(() => findCard('WhatsApp').getByLabel('{{2}} is').inputValue()).toBe('cart_total')
})

test('a monthly budget is saved as typed, with one press, and an empty amount is refused', async () => {
  answerChannels()
  app.api.answer(saveBudget, ({ body }) => ({ ...fixture(readBudget), monthly: body.monthly }))
  await app.open('/settings/sending/sms')
  const budget = findCard('Budget')
  const amount = budget.getByLabel('Amount in USD')
  await budget.getByRole('switch', { name: 'Set a monthly limit' }).click()
  for (const typed of ['80.00', '0.50']) {
    await amount.fill('')
    await amount.pressSequentially(typed)
    await budget.getByRole('button', { name: 'Save budget' }).click()
    await budget.getByText(`of $${typed}`).waitFor()
  }
  await expect
    .poll(() => app.api.calls(saveBudget).map(({ body }) => body))
    .toEqual([{ monthly: 80 }, { monthly: 0.5 }])
  await amount.fill('')
  await budget.getByText('Enter an amount from 0 to 1,000,000').waitFor()
})

test('removing the credentials needs a confirmation, and messages go to the built-in phones again', async () => {
  answerChannels(buildChannel('sms', { state: 'ready', provider: 'twilio' }))
  app.api.answer(removeSmsChannel, buildChannel('sms', { version: 2 }))
  const page = await app.open('/settings/sending/sms')
  await findCard('SMS').getByRole('button', { name: 'Remove', exact: true }).click()
  expect(app.api.calls(removeSmsChannel)).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await findCard('SMS').getByText('Phone sandbox', { exact: true }).waitFor()
})

test('an SMS shows its length and price, why it has no recipients, and how plain characters shorten it', {
  tags: ['B2'],
}, async () => {
  const cart = fixture(listAbandonedCarts).carts.find(({ phone }) => phone)!
  const ready = `Hi, your cart is still here: {{ checkout_link }} ${'It waits for you. '.repeat(8)}`
  app.api.answer(lastMessage, { message: null })
  app.api.alter(cartEligibility, (reply) => ({
    ...reply,
    total: 1,
    eligible: [],
    reasons: [{ ...reply.reasons[0]!, count: 1, cartIds: [cart.id] }],
  }))
  app.api.answer(previewMessage, ({ body: { body = ready } }) => {
    const text = body.replace('{{ checkout_link }}', 'https://recoup.example/c/1')
    const { segments } = measureSms(text)
    return {
      subject: '',
      html: '',
      text,
      segments,
      words: { subject: '', body },
      price: { amount: segments * 0.0079, currency: 'USD' },
      problem: /\{\{(?![^{]*\}\})/.test(body) ? 'The message has a “{{” without the “}}” that closes it.' : null,
      couponNote: null,
      couponWarning: null,
      decision: null,
    }
  })
  const page = await app.open('/carts')
  await page.getByRole('button', { name: `Send SMS to ${cart.customer_name}` }).click()
  const form = page.getByRole('dialog', { name: 'Send SMS Reminder' })
  await form.getByText('This won’t be sent, and it costs nothing. Reason:').waitFor()
  await expect.poll(() => form.getByRole('button', { name: 'Send Now' }).isDisabled()).toBe(true)
  await form.getByText(/^2 segments · \$0\.\d+$/).waitFor()
  await form.getByRole('button', { name: 'Change the text' }).click()
  const text = form.getByLabel('Text', { exact: true })
  await expect.poll(() => text.inputValue()).toContain('{{ checkout_link }}')
  await text.fill('Hi {{ customer_name }} – your cart at {{ store_name }} is “still” here: {{ checkout_link }}')
  await form.getByText('With plain characters, it takes 1 segment instead of 2.').waitFor()
  await checkLayout(app, '[role=dialog]')
  await form.getByRole('button', { name: 'Use plain characters' }).click()
  await form.getByText(/^1 segment · /).waitFor()
  await expect.poll(() => text.inputValue()).toContain('is "still" here')
  await text.fill('Hi {{ customer_name ')
  await form.getByText(/^The message has a “{{” without the “}}” that closes it/).waitFor()
  await form.getByRole('button', { name: 'Use the default text' }).click()
  await form.getByText(/^2 segments · /).waitFor()
})
