import type { WhatsAppTemplate } from './graph-rules.ts'

// The sandbox business's templates, in each provider's format.

export interface TwilioContent {
  sid: string
  friendlyName: string
  language: string
  /** Placeholder names in order. */
  variables: readonly string[]
  types: Record<string, { body: string; actions?: { type: 'URL'; title: string; url: string }[] }>
  approval: { name: string; category: string; content_type: string; status: string; rejection_reason: string }
}

/** `publicUrl`: target of the template's button. */
export function createSandboxTemplates(publicUrl: string): WhatsAppTemplate[] {
  const renderButton = (text: string) => ({ text, url: `${publicUrl}/c/{{1}}` })
  const footer = 'Reply STOP to opt out.'
  return [
    {
      id: '920070352646140',
      name: 'cart_reminder',
      language: 'en_US',
      category: 'MARKETING',
      status: 'APPROVED',
      body: 'Hi {{1}}, you left something in your cart at {{2}}: {{3}}, {{4}} in all. It is still there.',
      footer,
      button: renderButton('Back to my cart'),
    },
    {
      id: '920070352646141',
      name: 'cart_reminder',
      language: 'de',
      category: 'MARKETING',
      status: 'APPROVED',
      body: 'Hallo {{1}}, in deinem Warenkorb bei {{2}} wartet noch etwas: {{3}}, zusammen {{4}}.',
      footer: 'STOP beendet diese Nachrichten.',
      button: renderButton('Zum Warenkorb'),
    },
    {
      id: '920070352646142',
      name: 'cart_last_call',
      language: 'en_US',
      category: 'MARKETING',
      status: 'PENDING',
      body: 'Last call, {{1}}: your cart at {{2}} is kept until midnight.',
      button: renderButton('Back to my cart'),
    },
    {
      id: '920070352646143',
      name: 'cart_question',
      language: 'en_US',
      category: 'UTILITY',
      status: 'APPROVED',
      body: 'Hi {{1}}, did something go wrong at the checkout of {{2}}? Your cart: {{3}}',
    },
    {
      id: '920070352646144',
      name: 'flash_sale',
      language: 'en_US',
      category: 'MARKETING',
      status: 'REJECTED',
      body: '{{1}}',
    },
  ]
}

/** Text and button share one placeholder list, as at Twilio. */
export function createSandboxContents(publicUrl: string): TwilioContent[] {
  const actions = [{ type: 'URL' as const, title: 'Back to my cart', url: `${publicUrl}/c/{{5}}` }]
  const body = 'Hi {{1}}, you left something in your cart at {{2}}: {{3}}, {{4}} in all. It is still there.'
  const approval = (name: string, status: string, type: string) => ({
    name,
    category: 'MARKETING',
    content_type: type,
    status,
    rejection_reason: '',
  })
  return [
    {
      sid: `HX${'a1'.repeat(16)}`,
      friendlyName: 'cart_reminder',
      language: 'en',
      variables: ['1', '2', '3', '4', '5'],
      types: { 'twilio/call-to-action': { body, actions } },
      approval: approval('cart_reminder', 'approved', 'twilio/call-to-action'),
    },
    {
      sid: `HX${'a2'.repeat(16)}`,
      friendlyName: 'cart_last_call',
      language: 'en',
      variables: ['1', '2'],
      types: { 'twilio/text': { body: 'Last call, {{1}}: your cart at {{2}} is kept until midnight.' } },
      approval: approval('cart_last_call', 'pending', 'twilio/text'),
    },
  ]
}

export function fillPlaceholders({ types }: TwilioContent, values: Readonly<Record<string, string>>) {
  const [type] = Object.values(types)
  const fill = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (_, place: string) => values[place] ?? '')
  const [action] = type!.actions ?? []
  return { body: fill(type!.body), url: action ? fill(action.url) : null }
}
