import { describe, expect, test } from 'vitest'
import cases from '../../test/fixtures/stop-words.json' with { type: 'json' }
import { keywordOf } from './keywords.ts'

describe('STOP (C4, cases-R5)', () => {
  test.each([
    ...[
      'STOP',
      'STOPALL',
      'QUIT',
      'END',
      'REVOKE',
      'OPT OUT',
      'opt-out',
      'OptOut',
      'CANCEL',
      'UNSUBSCRIBE',
      '« stop »',
      'Stop.',
    ],
    ...cases.must_suppress,
    ...[
      'Wrong number. STOP',
      'stop\n\n-- \nMary',
      'STOP!!!',
      'please stop sending me these messages',
      'Stop it!',
      'I want to unsubscribe',
    ],
    ...[
      'Take me off your list',
      'do not text me',
      "don't text me again",
      'No more texts please',
      'remove me from this list',
      'ｓｔｏｐ',
    ],
    ...[
      'Stop promotions',
      'Bitte abmelden',
      'Keine weiteren Nachrichten',
      'no más mensajes',
      'Cancelar',
      'Arrêtez s’il vous plaît',
    ],
    ...[
      'Me désabonner',
      'Basta!',
      'Cancellami per favore',
      'Parar',
      'Sair',
      'Afmelden aub',
      'STOP SMS',
      'stop, thanks',
    ],
  ])('%j stops', (text) => {
    expect(keywordOf(text)).toBe('stop')
  })

  test.each([
    ...cases.must_not,
    ...[
      'Don’t stop',
      'Please don’t stop sending',
      'When does the sale end on Sunday?',
      'cancel my order',
      'I need one more',
      'start',
      'yes',
    ],
    ...[
      'Please stop by',
      'stopover',
      'the end is near',
      'can I cancel my order?',
      'The bus stop',
      'Remove the blue one from my cart and keep the red one',
      'nonstop',
      'stopped by your shop today',
      '',
      '🙂',
      '4821',
    ],
  ])('%j does not', (text) => {
    expect(keywordOf(text)).not.toBe('stop')
  })
})

test.each([
  ['  start. ', 'start'],
  ['UNSTOP', 'start'],
  ['Ja!', 'yes'],
  ['help', 'help'],
  ['start please', null],
  ['Yes, but when?', null],
  ['Help. Where is my tea', null],
])('%j must be all there is', (text, keyword) => {
  expect(keywordOf(text)).toBe(keyword)
})

test('a long text is read quickly', () => {
  expect(keywordOf(`${'stop the '.repeat(200_000)}tea`)).toBeNull()
})
