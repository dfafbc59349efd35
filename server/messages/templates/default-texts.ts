import { getLanguagePart } from '../../../shared/core/locale.ts'
import { DEFAULT_PUSH } from '../../../shared/delivery/push.ts'
import { READY_TEXTS } from './ready-templates.ts'

// The first text of an SMS and a notification, in the store's language. SMS use letters of the GSM
// alphabet only, so that a segment holds 160 characters; none greets, because a name may be unknown.

interface DefaultTexts {
  sms: string
  push: { title: string; body: string }
}

export const defaultTexts: Readonly<Record<string, DefaultTexts>> = {
  en: { sms: READY_TEXTS.sms, push: { title: DEFAULT_PUSH.title, body: DEFAULT_PUSH.body } },
  de: {
    sms: 'In deinem Warenkorb bei {{ store_name }}: {{ cart_items }}. Hier geht es weiter: {{ checkout_link }}\nAbmelden mit STOP.',
    push: { title: 'Dein Warenkorb wartet', body: 'Deine Artikel sind gespeichert. Hier geht es weiter zur Kasse.' },
  },
  fr: {
    sms: 'Il reste {{ cart_items }} dans votre panier chez {{ store_name }}. Reprenez ici {{ checkout_link }}\nRépondez STOP pour ne plus en recevoir.',
    push: { title: 'Votre panier vous attend', body: 'Vos articles sont enregistrés. Reprenez votre commande ici.' },
  },
  es: {
    sms: 'Tu carrito en {{ store_name }} te espera: {{ cart_items }}. Para seguir: {{ checkout_link }}\nResponde STOP para darte de baja.',
    push: { title: 'Tu carrito te espera', body: 'Hemos guardado tus artículos. Sigue aquí con tu pedido.' },
  },
  it: {
    sms: 'Il tuo carrello da {{ store_name }} ti aspetta: {{ cart_items }}. Riprendi da qui: {{ checkout_link }}\nRispondi STOP per annullare.',
    push: { title: 'Il tuo carrello ti aspetta', body: 'I tuoi articoli sono salvati. Completa qui il tuo ordine.' },
  },
  nl: {
    sms: 'In je winkelwagen bij {{ store_name }}: {{ cart_items }}. Ga hier verder: {{ checkout_link }}\nAntwoord STOP om je af te melden.',
    push: { title: 'Je winkelwagen staat klaar', body: 'Je artikelen zijn bewaard. Rond je bestelling hier af.' },
  },
  pt: {
    sms: 'Seu carrinho na loja {{ store_name }}: {{ cart_items }}. Continue aqui: {{ checkout_link }}\nPara cancelar, responda STOP.',
    push: { title: 'Seu carrinho está à sua espera', body: 'Guardamos seus itens. Continue a compra aqui.' },
  },
  pl: {
    sms: 'W Twoim koszyku w sklepie {{ store_name }}: {{ cart_items }}. Do koszyka: {{ checkout_link }}\nRezygnacja: odpisz STOP.',
    push: { title: 'Twój koszyk czeka', body: 'Twoje produkty są zapisane. Dokończ zamówienie tutaj.' },
  },
}

/** `locale`: of the store. */
export function listDefaultTexts(locale: string | null): DefaultTexts {
  const language = locale === null ? 'en' : getLanguagePart(locale)
  return Object.hasOwn(defaultTexts, language) ? defaultTexts[language]! : defaultTexts.en!
}
