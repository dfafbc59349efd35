import { describe, expect, test } from 'vitest'
import type { ImportReason } from '../../../shared/marketing/ledger.ts'
import { readFile, readOutcomes } from '../../../test/import-files.ts'
import { cellMark, headingKind } from './import-marks.ts'

describe('an opt-out heading', () => {
  const headings: [string, ImportReason][] = [
    ['Unsubscribed', 'opted_out'],
    ['is_unsubscribed', 'opted_out'],
    ['UNSUB_TIME', 'opted_out'],
    ['Opted out', 'opted_out'],
    ['Opted out at', 'opted_out'],
    ['Email opt-out', 'opted_out'],
    ['hasOptedOut', 'opted_out'],
    ['HasOptedOutOfEmail', 'opted_out'],
    ['Blocked', 'blocked'],
    ['Do not contact', 'blocked'],
    ['DoNotEmail', 'blocked'],
    ['EMAIL_BLACKLISTED', 'blocked'],
    ['Blocklisted', 'blocked'],
    ['Bounced', 'bounced'],
    ['Hard bounced at', 'bounced'],
    ['Cleaned', 'bounced'],
    ['CLEAN_TIME', 'bounced'],
    ['Complained', 'complained'],
    ['Spam complaint', 'complained'],
    ['Suppressed', 'suppressed'],
    ['Email Suppressions', 'suppressed'],
    ['Never subscribed', 'never'],
    ['Not subscribed', 'never'],
    ['Abgemeldet', 'opted_out'],
    ['Abgemeldet am', 'opted_out'],
    ['Newsletter abbestellt', 'opted_out'],
    ['Widerrufen am', 'opted_out'],
    ['Widersprochen', 'opted_out'],
    ['Gesperrt', 'blocked'],
    ['Werbesperre', 'blocked'],
    ['Nicht kontaktieren', 'blocked'],
    ['Keine Werbung', 'blocked'],
    ['Unzustellbar', 'bounced'],
    ['Beschwerde', 'complained'],
    ['Unterdrückt', 'suppressed'],
    ['Nie angemeldet', 'never'],
    ['Nicht angemeldet', 'never'],
    ['Désabonné', 'opted_out'],
    ['Désinscrit le', 'opted_out'],
    ['Date de désinscription', 'opted_out'],
    ['Bloqué', 'blocked'],
    ['Liste noire', 'blocked'],
    ['Ne pas contacter', 'blocked'],
    ['Rebond', 'bounced'],
    ['Nettoyé', 'bounced'],
    ['Plainte', 'complained'],
    ['Supprimé', 'suppressed'],
    ['Jamais abonné', 'never'],
    ['Non inscrit', 'never'],
    ['Dado de baja', 'opted_out'],
    ['Fecha de baja', 'opted_out'],
    ['Desuscrito', 'opted_out'],
    ['Bloqueado', 'blocked'],
    ['Lista negra', 'blocked'],
    ['No contactar', 'blocked'],
    ['Rebotado', 'bounced'],
    ['Queja', 'complained'],
    ['Suprimido', 'suppressed'],
    ['Nunca suscrito', 'never'],
    ['No suscrito', 'never'],
    ['Disiscritto', 'opted_out'],
    ['Disiscritto il', 'opted_out'],
    ['Cancellato', 'opted_out'],
    ['Bloccato', 'blocked'],
    ['Lista nera', 'blocked'],
    ['Non contattare', 'blocked'],
    ['Rimbalzato', 'bounced'],
    ['Reclamo', 'complained'],
    ['Soppresso', 'suppressed'],
    ['Mai iscritto', 'never'],
    ['Non iscritto', 'never'],
    ['Descadastrado', 'opted_out'],
    ['Afgemeld op', 'opted_out'],
    ['Uitgeschreven', 'opted_out'],
    ['Wypisany', 'opted_out'],
    ['Não contatar', 'blocked'],
    ['Devolvido', 'bounced'],
    ['Reclamação', 'complained'],
    ['Nunca inscrito', 'never'],
    ['Consent revoked', 'opted_out'],
    ['Consent revoked at', 'opted_out'],
    ['Subscription cancelled', 'opted_out'],
    ['Newsletter declined', 'opted_out'],
    ['No consent', 'opted_out'],
    ['Opt-in expired', 'opted_out'],
    ['Einwilligung entzogen', 'opted_out'],
    ['Newsletter gekündigt', 'opted_out'],
    ['Consentement retiré', 'opted_out'],
    ['Sin consentimiento', 'opted_out'],
    ['Consenso revocato', 'opted_out'],
    ['Consentimento revogado', 'opted_out'],
    ['Deleted at', 'opted_out'],
  ]

  test.each(headings)('%s is recognized: %s', (heading, reason) => {
    expect(headingKind(heading)).toMatchObject({ means: 'no', reason })
  })

  test.each(headings)('%s: a yes never grants consent, and a no says nothing by itself', (heading) => {
    const file = `Email,${heading},Date\nada@a.example,yes,2024-05-01\nbob@a.example,no,2024-05-01\ncyd@a.example,,2024-05-01`
    for (const chosen of [{}, { status: 1 }, { status: 1, yesMeans: 'granted' as const }, { date: 1 }]) {
      const [ada, bob, cyd] = readFile(file, chosen)
      expect(['withdrawn', 'suppressed']).toContain(ada!.status)
      expect([ada!.problem, bob!.problem, cyd!.problem]).toEqual([null, 'no_status', 'no_status'])
    }
    const [ada, bob] = readFile(file, { statusForAll: 'granted' })
    expect(ada!.status).not.toBe('granted')
    expect(bob!.status).toBe('granted')
  })
})

test.each([
  'Unsubscribe link',
  'unsubscribe_url',
  'Bounce rate',
  'Spam score',
  'Order blocked',
  'Payment bounced',
  'Email',
  'First name',
  'Street address',
  'Notes',
  'Country',
])('%s says nothing about consent', (heading) => {
  expect(headingKind(heading)).toBe(null)
})

test.each([
  'Subscribed',
  'Newsletter',
  'Accepts Marketing',
  'Accepts Email Marketing',
  'Email Marketing Consent',
  'Opt-in',
  'Status',
  'Subscriber status',
  'Email status',
  'Einwilligung',
  'Angemeldet',
  'Abonné',
  'Consentement',
  'Suscrito',
  'Consentimiento',
  'Iscritto',
  'Consenso',
  'Inscrito',
  'Opt-in (yes/no)',
  'Newsletter (Ja/Nein)',
])('%s is an opt-in heading, so a no is a withdrawal', (heading) => {
  expect(headingKind(heading)).toEqual({ means: 'yes' })
  const file = `Email,${heading},Date\nada@a.example,yes,2024-05-01\nbob@a.example,no,2024-05-01\ncyd@a.example,?,2024-05-01`
  expect(readOutcomes(file)).toEqual(['granted', 'withdrawn', 'bad_status'])
})

describe('a status of another tool', () => {
  test.each([
    // Mailchimp, Klaviyo, Omnisend, Brevo, MailPoet, Shopify, WooCommerce, ActiveCampaign, MailerLite, Kit, HubSpot, Sendinblue
    'subscribed',
    'Subscribed',
    'SUBSCRIBED',
    'Active',
    'Confirmed',
    'opted_in',
    'optedIn',
    'Opt-In',
    'angemeldet',
    'aktiv',
    'abonniert',
    'bestätigt',
    'abonné',
    'inscrite',
    'actif',
    'suscrito',
    'activo',
    'iscritto',
    'attivo',
    'inscrito',
    'ativo',
    'ja',
    'oui',
    'sí',
    'sì',
    'sim',
    'TRUE',
    '1',
    '✓',
  ])('%s grants consent', (word) => {
    expect(['granted', 'yes']).toContain(cellMark(word))
  })

  test.each<[ImportReason, string[]]>([
    [
      'opted_out',
      [
        'unsubscribed',
        'Unsubscribed (by admin)',
        'UNSUBSCRIBED',
        'opted_out',
        'optedOut',
        'opt-out',
        'OPTED OUT',
        'inactive',
        'revoked',
        'declined',
        'withdrawn',
        'cancelled',
        'deleted',
        'archived',
        'No thanks',
        'stopped',
        'abgemeldet',
        'abbestellt',
        'widerrufen',
        'ausgetragen',
        'inaktiv',
        'désabonné',
        'désinscrite',
        'refusé',
        'dado de baja',
        'baja',
        'cancelado',
        'desuscrito',
        'inactivo',
        'disiscritto',
        'cancellato',
        'rifiutato',
        'descadastrado',
        'cancelada',
        'recusado',
        'revogado',
      ],
    ],
    [
      'never',
      [
        'non-subscribed',
        'nonSubscribed',
        'NEVER_SUBSCRIBED',
        'Not subscribed',
        'never opted in',
        'not_subscribed',
        'nicht angemeldet',
        'nie abonniert',
        'non abonné',
        'jamais inscrit',
        'no suscrito',
        'nunca suscrito',
        'non iscritto',
        'mai iscritto',
        'não inscrito',
      ],
    ],
    [
      'bounced',
      [
        'cleaned',
        'Bounced',
        'bounced',
        'hard_bounced',
        'hardBounce',
        'undeliverable',
        'bereinigt',
        'unzustellbar',
        'gebounct',
        'nettoyé',
        'rebond',
        'rebotado',
        'depurado',
        'rimbalzato',
        'devolvido',
      ],
    ],
    [
      'complained',
      ['spamComplaint', 'complained', 'Complaint', 'marked as spam', 'abuse', 'Beschwerde', 'plainte', 'queja'],
    ],
    ['suppressed', ['SUPPRESSED', 'suppressed', 'unterdrückt', 'supprimé', 'suprimido', 'soppresso']],
    [
      'blocked',
      ['blocked', 'blocklisted', 'Blacklisted', 'do not contact', 'gesperrt', 'bloqué', 'bloqueado', 'bloccato'],
    ],
    ['invalid', ['invalid', 'Invalid email', 'ungültig', 'no válido', 'non valido']],
    [
      'unconfirmed',
      [
        'pending',
        'unconfirmed',
        'Not confirmed',
        'unbestätigt',
        'ausstehend',
        'en attente',
        'non confirmé',
        'pendiente',
        'sin confirmar',
        'in attesa',
        'non confermato',
        'pendente',
        'não confirmado',
      ],
    ],
  ])('is an opt-out: %s', (reason, values) => {
    for (const word of values) expect([word, cellMark(word)]).toEqual([word, { reason }])
  })

  test.each(['?', 'perhaps', 'soft bounce', 'Weekly digest', '17', 'x', 'non renseigné'])('%s says nothing', (word) => {
    expect(readOutcomes(`Email,Status,Date\nada@a.example,${word},2024-05-01`)).toEqual(['bad_status'])
  })
})

test('a bounce, a complaint and a bad address become suppressions with their reason', () => {
  const file =
    'Email,Status\na@a.example,cleaned\nb@a.example,spamComplaint\nc@a.example,invalid\nd@a.example,unsubscribed'
  expect(readOutcomes(file)).toEqual([
    'suppressed bounced',
    'suppressed complained',
    'suppressed invalid',
    'withdrawn opted_out',
  ])
})

test('a date in an opt-out column is the time of the opt-out', () => {
  const [ada, bob, cyd] = readFile(
    'Email,Opted out at,Signed up at\nada@a.example,2025-05-01,2024-01-01\nbob@a.example,,2024-01-01\ncyd@a.example,5/1/25 9:05,2024-01-01',
    { statusForAll: 'granted' },
  )
  expect(ada).toMatchObject({ status: 'withdrawn', at: new Date('2025-05-01T00:00:00Z') })
  expect(bob).toMatchObject({ status: 'granted', at: new Date('2024-01-01T00:00:00Z') })
  expect(cyd).toMatchObject({ status: 'withdrawn' })
})

test('blocklisted and cleaned contacts of these exports are not granted', () => {
  const all = { statusForAll: 'granted' } as const
  expect(
    readOutcomes(
      'EMAIL,EMAIL_BLACKLISTED,SMS_BLACKLISTED,ADDED_TIME\na@a.example,Yes,No,2024-05-01\nb@a.example,No,Yes,2024-05-01',
      all,
    ),
  ).toEqual(['withdrawn blocked', 'granted'])
  expect(
    readOutcomes(
      'Email Address,OPTIN_TIME,UNSUB_TIME,UNSUB_CAMPAIGN_TITLE,UNSUB_REASON\na@a.example,2024-05-01,2025-01-01,Spring,NORMAL (User unsubscribed)\nb@a.example,2024-05-01,,Spring,',
      all,
    ),
  ).toEqual(['withdrawn opted_out', 'withdrawn opted_out'])
  expect(
    readOutcomes('Email Address,OPTIN_TIME,CLEAN_TIME,CLEAN_REASON\na@a.example,2024-05-01,2025-01-01,H', all),
  ).toEqual(['suppressed bounced'])
  expect(
    readOutcomes(
      'Email,Email Marketing Consent,Email Marketing Consent Timestamp,Email Suppressions\na@a.example,SUBSCRIBED,2024-05-01,[]\nb@a.example,NEVER_SUBSCRIBED,,[]\nc@a.example,SUBSCRIBED,2024-05-01,[HARD_BOUNCE]',
    ),
  ).toEqual(['granted', 'withdrawn never', 'suppressed bounced'])
  expect(readOutcomes('Unsubscribed Email Address,Date\na@a.example,2024-05-01', all)).toEqual(['withdrawn opted_out'])
})
