import { describe, expect, test } from 'vitest'
import sentences from '../../../test/fixtures/stop-sentences.json' with { type: 'json' }
import cases from '../../../test/fixtures/stop-words.json' with { type: 'json' }
import { parseKeyword } from './keywords.ts'

describe('STOP (C4, cases-R5)', () => {
  test.each([
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
    ...cases.must_suppress,
    ...sentences.want_no_more,
    'Wrong number. STOP',
      'stop\n\n-- \nMary',
      'STOP!!!',
      'please stop sending me these messages',
      'Stop it!',
      'I want to unsubscribe',
    'Take me off your list',
      'do not text me',
      "don't text me again",
      'No more texts please',
      'remove me from this list',
      'ｓｔｏｐ',
    'Stop promotions',
      'Bitte abmelden',
      'Keine weiteren Nachrichten',
      'no más mensajes',
      'Cancelar',
      'Arrêtez s’il vous plaît',
    'Me désabonner',
      'Basta!',
      'Cancellami per favore',
      'Parar',
      'Sair',
      'Afmelden aub',
      'STOP SMS',
      'stop, thanks',
    // In other words, and by signs.
    's t o p', '🛑', 'Stop -- Jane Doe', 'Stop it now or I’ll report you', 'Stop sending me this crap', 'Go away',
    'Wrong number, this is Peter',
      'I don’t want any more of your texts',
      'Please delete my number',
      'Leave me alone!',
    'Keine SMS mehr', 'Bitte keine Nachrichten mehr senden', 'Ich möchte keine Werbung mehr', 'Lass mich in Ruhe',
    'Hören Sie auf',
      'Aufhören!',
      'Bitte löschen Sie meine Nummer',
      'Nicht mehr anschreiben',
      'Stoppt die Nachrichten',
    'No me escriban más', 'No quiero recibir más mensajes', 'Dejen de enviarme mensajes', 'darme de baja',
    'Je ne veux plus recevoir vos messages', 'Arrêtez de m’envoyer des messages', 'stop pub',
    'Non scrivetemi più', 'Non voglio più ricevere messaggi', 'cancella',
    'Não quero mais receber mensagens', 'Não me enviem mais nada', 'Pare de mandar mensagem',
    'Ik wil geen berichten meer',
      'Niet meer appen aub',
      'WYPISZ',
      'Nie piszcie do mnie więcej',
      'Proszę nie wysyłać więcej',
  ])('%j stops', (text) => {
    expect(parseKeyword(text)).toBe('stop')
  })

  test.each([
    ...cases.must_not,
    ...sentences.ask_something_else,
    'Don’t stop',
      'Please don’t stop sending',
      'When does the sale end on Sunday?',
      'cancel my order',
      'I need one more',
      'start',
      'yes',
    'Please stop by',
      'stopover',
      'the end is near',
      'can I cancel my order?',
      'The bus stop',
      'Remove the blue one from my cart and keep the red one',
      'nonstop',
      'Don’t send it to the old address',
      'Ich habe keine SMS bekommen',
      'Haben Sie keine roten Schuhe mehr?',
      'Ich kann nicht mehr warten',
      'no quiero el azul',
      'Je ne trouve plus mon panier',
      'Remove the cap, I want the hat',
      'Ho bisogno di più tempo',
      'A B',
      'stopped by your shop today',
      '',
      '🙂',
      '4821',
  ])('%j does not', (text) => {
    expect(parseKeyword(text)).not.toBe('stop')
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
  expect(parseKeyword(text)).toBe(keyword)
})

test('a long text is parsed quickly', () => {
  expect(parseKeyword(`${'stop the '.repeat(200_000)}tea`)).toBeNull()
})
