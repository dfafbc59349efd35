import type { ConsentChannel } from './consent.ts'

// The ready texts of the consent boxes, per language; `{store}` is the shop's name. English and German are shown until
// the owner writes their own. The others are drafts: a shopper sees one only after the owner has approved it.

export type BoxCopy = Readonly<Record<Extract<ConsentChannel, 'email' | 'sms' | 'whatsapp'>, string>>

export const readyLanguages = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl'] as const
export type ReadyLanguage = (typeof readyLanguages)[number]

export const boxCopy: Readonly<Record<ReadyLanguage, BoxCopy>> = {
  en: {
    email: 'Email me reminders about my cart and offers from {store}. I can unsubscribe at any time.',
    sms: 'Text me reminders about my cart. I agree to receive recurring automated marketing text messages from {store} at this number. Consent is not a condition of any purchase. Message and data rates may apply. Reply STOP to stop, HELP for help.',
    whatsapp: 'Message me on WhatsApp about my cart and offers from {store}. I can reply STOP at any time.',
  },
  de: {
    email:
      'Ich möchte per E-Mail an meinen Warenkorb erinnert werden und Angebote von {store} erhalten. Abmelden kann ich mich jederzeit.',
    sms: 'Ich möchte per SMS an meinen Warenkorb erinnert werden. Ich willige ein, von {store} wiederkehrende automatische Werbe-SMS an diese Nummer zu erhalten. Die Einwilligung ist keine Bedingung für einen Kauf. Es können Kosten für Nachrichten und Daten anfallen. Mit STOP melde ich mich ab, mit HILFE bekomme ich Hilfe.',
    whatsapp:
      'Ich möchte über WhatsApp Nachrichten zu meinem Warenkorb und Angebote von {store} erhalten. Mit STOP kann ich mich jederzeit abmelden.',
  },
  fr: {
    email:
      'Je souhaite recevoir par e-mail des rappels sur mon panier et des offres de {store}. Je peux me désabonner à tout moment.',
    sms: 'Je souhaite recevoir par SMS des rappels sur mon panier. J’accepte de recevoir régulièrement de {store} des SMS publicitaires automatisés à ce numéro. Ce consentement n’est pas une condition d’achat. Des frais de messages et de données peuvent s’appliquer. Répondre STOP pour arrêter, HELP pour obtenir de l’aide.',
    whatsapp:
      'Je souhaite recevoir sur WhatsApp des messages sur mon panier et des offres de {store}. Je peux répondre STOP à tout moment.',
  },
  es: {
    email:
      'Quiero recibir por correo electrónico recordatorios sobre mi carrito y ofertas de {store}. Puedo darme de baja en cualquier momento.',
    sms: 'Quiero recibir por SMS recordatorios sobre mi carrito. Acepto recibir de {store} SMS publicitarios periódicos y automatizados en este número. El consentimiento no es condición para ninguna compra. Pueden aplicarse tarifas de mensajes y datos. Responder STOP para dejar de recibirlos, HELP para obtener ayuda.',
    whatsapp:
      'Quiero recibir por WhatsApp mensajes sobre mi carrito y ofertas de {store}. Puedo responder STOP en cualquier momento.',
  },
  it: {
    email:
      'Desidero ricevere via email promemoria sul mio carrello e offerte di {store}. Posso annullare l’iscrizione in qualsiasi momento.',
    sms: 'Desidero ricevere via SMS promemoria sul mio carrello. Acconsento a ricevere da {store} SMS pubblicitari periodici e automatizzati a questo numero. Il consenso non è una condizione per l’acquisto. Possono essere applicati costi per messaggi e dati. Rispondere STOP per interrompere, HELP per ricevere assistenza.',
    whatsapp:
      'Desidero ricevere su WhatsApp messaggi sul mio carrello e offerte di {store}. Posso rispondere STOP in qualsiasi momento.',
  },
  nl: {
    email:
      'Ik wil per e-mail herinneringen aan mijn winkelwagen en aanbiedingen van {store} ontvangen. Ik kan me op elk moment afmelden.',
    sms: 'Ik wil per sms herinneringen aan mijn winkelwagen ontvangen. Ik ga ermee akkoord dat {store} regelmatig automatische reclame-sms’en naar dit nummer stuurt. Toestemming is geen voorwaarde voor een aankoop. Er kunnen kosten voor berichten en data gelden. Met STOP meld ik me af, met HELP krijg ik hulp.',
    whatsapp:
      'Ik wil via WhatsApp berichten over mijn winkelwagen en aanbiedingen van {store} ontvangen. Ik kan op elk moment STOP antwoorden.',
  },
  pt: {
    email:
      'Quero receber por e-mail lembretes sobre meu carrinho e ofertas de {store}. Posso cancelar a qualquer momento.',
    sms: 'Quero receber por SMS lembretes sobre meu carrinho. Concordo em receber de {store} SMS publicitários recorrentes e automatizados neste número. O consentimento não é condição para nenhuma compra. Podem ser cobradas tarifas de mensagens e dados. Responder STOP para cancelar, HELP para obter ajuda.',
    whatsapp:
      'Quero receber pelo WhatsApp mensagens sobre meu carrinho e ofertas de {store}. Posso responder STOP a qualquer momento.',
  },
  pl: {
    email:
      'Chcę otrzymywać e-mailem przypomnienia o moim koszyku oraz oferty sklepu {store}. W każdej chwili mogę z nich zrezygnować.',
    sms: 'Chcę otrzymywać SMS-em przypomnienia o moim koszyku. Zgadzam się na regularne otrzymywanie od sklepu {store} automatycznych SMS-ów reklamowych na ten numer. Zgoda nie jest warunkiem zakupu. Operator może naliczyć opłaty za wiadomości i transmisję danych. Odpowiedź STOP kończy wysyłkę, odpowiedź HELP przywołuje pomoc.',
    whatsapp:
      'Chcę otrzymywać przez WhatsApp wiadomości o moim koszyku oraz oferty sklepu {store}. W każdej chwili mogę odpowiedzieć STOP.',
  },
}
