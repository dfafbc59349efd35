import type { Language, LockReason, PreferenceReason } from '../../../shared/delivery/preferences.ts'

// Texts of the shopper's pages, per language. Pure. The caller inserts store names and addresses.

export const languageNames: Record<Language, string> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  it: 'Italiano',
  nl: 'Nederlands',
  pt: 'Português',
  pl: 'Polski',
}

export interface ShopperCopy {
  language: string
  isLoading: string
  linkBroken: string
  isTest: string
  failedTitle: string
  failed: string
  retry: string
  unsubscribe: string
  isUnsubscribed: string
  /** Parts around address and store: `ask[0]` store `ask[1]` address `ask[2]`. */
  ask: [string, string, string]
  done: [string, string]
  byMistake: string
  subscribeAgain: string
  preferences: string
  title: string
  channels: string
  pending: string
  lock: Record<LockReason, string>
  why: string
  whyNone: string
  reasons: Record<PreferenceReason, string>
  note: string
  noteHint: string
  save: string
  saved: string
  nothingChanged: string
  /** Web push notifications: their name, what they are, and where they are enabled. */
  push: string
  pushAbout: string
  pushIn: (browsers: number) => string
  pushAgain: string
  stopAll: string
  stopAllHint: string
  stopped: string
  to: string
}

export const shopperCopy: Record<Language, ShopperCopy> = {
  en: {
    language: 'Language',
    isLoading: 'Loading',
    linkBroken: 'This link is not complete. Please open it again from the message you received.',
    isTest: 'This is a test; nothing changes.',
    failedTitle: 'The page could not be loaded',
    failed: 'Something went wrong. Please try again in a moment.',
    retry: 'Retry',
    unsubscribe: 'Unsubscribe',
    isUnsubscribed: 'You are unsubscribed',
    ask: ['Stop reminders from ', ' to ', '?'],
    done: [' will get no more reminders from ', '.'],
    byMistake: 'Pressed by mistake?',
    subscribeAgain: 'Subscribe again',
    preferences: 'Manage preferences',
    title: 'Message preferences',
    channels: 'How we may contact you',
    pending: 'Not confirmed yet. We will send you an SMS: reply YES to confirm.',
    lock: {
      undeliverable:
        'Our messages could not be delivered here, so we no longer send any. Contact the shop if this is a mistake.',
      complaint:
        'A message sent here was reported as spam, so we no longer send any. Contact the shop if this is a mistake.',
      shop: 'The shop has stopped sending messages here. Contact the shop if you want them again.',
    },
    why: 'Why? (optional)',
    whyNone: 'No answer',
    reasons: {
      too_many: 'Too many messages',
      not_interested: 'They are not relevant to me',
      bought_elsewhere: 'I bought it somewhere else',
      never_asked: 'I never signed up for them',
      other: 'Something else',
    },
    note: 'Anything you want to tell the shop (optional)',
    noteHint: 'Shared with the shop. Up to 500 characters.',
    save: 'Save',
    saved: 'Saved. Your choice applies from now on.',
    nothingChanged: 'Saved. Your message settings have not changed.',
    push: 'Notifications in your browser',
    pushAbout: 'Reminders on your screen about your cart.',
    pushIn: (browsers) =>
      browsers === 1 ? 'On in 1 browser.' : `On in ${browsers} browsers. This applies to all of them.`,
    pushAgain:
      'You can turn them off here. To turn them on again, go to the shop: your browser allows them only there.',
    stopAll: 'Unsubscribe from everything',
    stopAllHint: 'No more messages of any kind. You can turn them on again here.',
    stopped: 'You are unsubscribed from everything and will get no more messages.',
    to: 'To',
  },
  de: {
    language: 'Sprache',
    isLoading: 'Wird geladen',
    linkBroken: 'Dieser Link ist nicht vollständig. Öffne ihn noch einmal aus der Nachricht.',
    isTest: 'Das ist ein Test; es ändert sich nichts.',
    failedTitle: 'Die Seite konnte nicht geladen werden',
    failed: 'Das hat nicht geklappt. Bitte versuche es gleich noch einmal.',
    retry: 'Noch einmal versuchen',
    unsubscribe: 'Abmelden',
    isUnsubscribed: 'Du bist abgemeldet',
    ask: ['Keine Erinnerungen mehr von ', ' an ', '?'],
    done: [' bekommt keine Erinnerungen mehr von ', '.'],
    byMistake: 'Aus Versehen abgemeldet?',
    subscribeAgain: 'Wieder anmelden',
    preferences: 'Nachrichten auswählen',
    title: 'Nachrichten auswählen',
    channels: 'Wie wir dir schreiben dürfen',
    pending: 'Noch nicht bestätigt. Wir schicken dir eine SMS: Antworte mit JA.',
    lock: {
      undeliverable:
        'Unsere Nachrichten konnten hier nicht zugestellt werden, deshalb senden wir keine mehr. Wende dich an den Shop, wenn das ein Irrtum ist.',
      complaint:
        'Hier wurde eine Nachricht als Spam gemeldet, deshalb senden wir keine mehr. Wende dich an den Shop, wenn das ein Irrtum ist.',
      shop: 'Der Shop sendet hierhin keine Nachrichten mehr. Wende dich an den Shop, wenn du wieder welche möchtest.',
    },
    why: 'Warum? (freiwillig)',
    whyNone: 'Keine Angabe',
    reasons: {
      too_many: 'Zu viele Nachrichten',
      not_interested: 'Sie interessieren mich nicht',
      bought_elsewhere: 'Ich habe woanders gekauft',
      never_asked: 'Ich wollte sie nie haben',
      other: 'Etwas anderes',
    },
    note: 'Was du dem Shop sagen möchtest (freiwillig)',
    noteHint: 'Das liest der Shop. Bis zu 500 Zeichen.',
    save: 'Speichern',
    saved: 'Gespeichert. Deine Auswahl gilt ab sofort.',
    nothingChanged: 'Gespeichert. An deinen Nachrichten hat sich nichts geändert.',
    push: 'Benachrichtigungen im Browser',
    pushAbout: 'Erinnerungen an deinen Warenkorb auf dem Bildschirm.',
    pushIn: (browsers) => (browsers === 1 ? 'In 1 Browser an.' : `In ${browsers} Browsern an. Es gilt für alle.`),
    pushAgain:
      'Hier kannst du sie ausschalten. Wieder einschalten kannst du sie nur im Shop: Dein Browser erlaubt das nur dort.',
    stopAll: 'Alles abbestellen',
    stopAllHint: 'Keine Nachrichten mehr, gleich welcher Art. Hier kannst du sie wieder einschalten.',
    stopped: 'Alles ist abbestellt. Du bekommst keine Nachrichten mehr.',
    to: 'An',
  },
  fr: {
    language: 'Langue',
    isLoading: 'Chargement',
    linkBroken: 'Ce lien est incomplet. Ouvrez-le à nouveau depuis le message reçu.',
    isTest: 'Ceci est un test\u00a0: rien ne change.',
    failedTitle: 'La page n’a pas pu être chargée',
    failed: 'Une erreur est survenue. Réessayez dans un instant.',
    retry: 'Réessayer',
    unsubscribe: 'Se désabonner',
    isUnsubscribed: 'Désabonnement confirmé',
    ask: ['Ne plus envoyer de rappels de ', ' à ', '\u00a0?'],
    done: [' ne recevra plus de rappels de ', '.'],
    byMistake: 'C’était une erreur\u00a0?',
    subscribeAgain: 'Se réabonner',
    preferences: 'Gérer mes préférences',
    title: 'Préférences de messages',
    channels: 'Comment nous pouvons vous écrire',
    pending: 'Pas encore confirmé. Nous vous enverrons un SMS\u00a0: répondez YES pour confirmer.',
    lock: {
      undeliverable:
        'Nos messages n’ont pas pu être remis ici, nous n’en envoyons donc plus. Contactez la boutique si c’est une erreur.',
      complaint:
        'Un message envoyé ici a été signalé comme spam, nous n’en envoyons donc plus. Contactez la boutique si c’est une erreur.',
      shop: 'La boutique n’envoie plus de messages ici. Contactez-la si vous voulez en recevoir à nouveau.',
    },
    why: 'Pourquoi\u00a0? (facultatif)',
    whyNone: 'Sans réponse',
    reasons: {
      too_many: 'Trop de messages',
      not_interested: 'Ils ne m’intéressent pas',
      bought_elsewhere: 'J’ai acheté ailleurs',
      never_asked: 'Je n’ai jamais demandé à les recevoir',
      other: 'Autre raison',
    },
    note: 'Un mot pour la boutique (facultatif)',
    noteHint: 'La boutique le lira. 500 caractères au plus.',
    save: 'Enregistrer',
    saved: 'Enregistré. Votre choix s’applique dès maintenant.',
    nothingChanged: 'Enregistré. Vos réglages n’ont pas changé.',
    push: 'Notifications dans votre navigateur',
    pushAbout: 'Des rappels à l’écran à propos de votre panier.',
    pushIn: (browsers) =>
      browsers === 1
        ? 'Activées dans 1 navigateur.'
        : `Activées dans ${browsers} navigateurs. Le choix vaut pour tous.`,
    pushAgain:
      'Vous pouvez les désactiver ici. Pour les réactiver, allez sur la boutique\u00a0: votre navigateur ne le permet que là.',
    stopAll: 'Se désabonner de tout',
    stopAllHint: 'Plus aucun message. Vous pourrez les réactiver ici.',
    stopped: 'Vous ne recevrez plus aucun message.',
    to: 'À',
  },
  es: {
    language: 'Idioma',
    isLoading: 'Cargando',
    linkBroken: 'Este enlace está incompleto. Ábrelo otra vez desde el mensaje que recibiste.',
    isTest: 'Esto es una prueba; no cambia nada.',
    failedTitle: 'No se pudo cargar la página',
    failed: 'Algo salió mal. Inténtalo de nuevo en un momento.',
    retry: 'Reintentar',
    unsubscribe: 'Darme de baja',
    isUnsubscribed: 'Ya no recibirás recordatorios',
    ask: ['¿Dejar de enviar recordatorios de ', ' a ', '?'],
    done: [' no recibirá más recordatorios de ', '.'],
    byMistake: '¿Fue un error?',
    subscribeAgain: 'Volver a suscribirme',
    preferences: 'Gestionar preferencias',
    title: 'Preferencias de mensajes',
    channels: 'Cómo podemos escribirte',
    pending: 'Aún sin confirmar. Te enviaremos un SMS: responde YES para confirmar.',
    lock: {
      undeliverable:
        'Nuestros mensajes no se pudieron entregar aquí, así que ya no enviamos más. Escribe a la tienda si es un error.',
      complaint:
        'Un mensaje enviado aquí se marcó como spam, así que ya no enviamos más. Escribe a la tienda si es un error.',
      shop: 'La tienda ha dejado de enviar mensajes aquí. Escríbele si quieres volver a recibirlos.',
    },
    why: '¿Por qué? (opcional)',
    whyNone: 'Sin respuesta',
    reasons: {
      too_many: 'Demasiados mensajes',
      not_interested: 'No me interesan',
      bought_elsewhere: 'Lo compré en otro sitio',
      never_asked: 'Nunca me suscribí',
      other: 'Otro motivo',
    },
    note: 'Algo que quieras decirle a la tienda (opcional)',
    noteHint: 'Lo leerá la tienda. Hasta 500 caracteres.',
    save: 'Guardar',
    saved: 'Guardado. Tu elección vale desde ahora.',
    nothingChanged: 'Guardado. Tus ajustes no han cambiado.',
    push: 'Notificaciones en tu navegador',
    pushAbout: 'Recordatorios en pantalla sobre tu carrito.',
    pushIn: (browsers) =>
      browsers === 1 ? 'Activas en 1 navegador.' : `Activas en ${browsers} navegadores. Vale para todos.`,
    pushAgain:
      'Puedes desactivarlas aquí. Para volver a activarlas, ve a la tienda: tu navegador solo lo permite allí.',
    stopAll: 'Darme de baja de todo',
    stopAllHint: 'Ningún mensaje más. Puedes volver a activarlos aquí.',
    stopped: 'Te has dado de baja de todo y no recibirás más mensajes.',
    to: 'Para',
  },
  it: {
    language: 'Lingua',
    isLoading: 'Caricamento',
    linkBroken: 'Questo link è incompleto. Aprilo di nuovo dal messaggio che hai ricevuto.',
    isTest: 'Questa è una prova: non cambia nulla.',
    failedTitle: 'Non è stato possibile caricare la pagina',
    failed: 'Qualcosa è andato storto. Riprova tra un momento.',
    retry: 'Riprova',
    unsubscribe: 'Annulla l’iscrizione',
    isUnsubscribed: 'Iscrizione annullata',
    ask: ['Interrompere i promemoria di ', ' a ', '?'],
    done: [' non riceverà più promemoria da ', '.'],
    byMistake: 'È stato un errore?',
    subscribeAgain: 'Iscriviti di nuovo',
    preferences: 'Gestisci le preferenze',
    title: 'Preferenze dei messaggi',
    channels: 'Come possiamo scriverti',
    pending: 'Non ancora confermato. Ti invieremo un SMS: rispondi YES per confermare.',
    lock: {
      undeliverable:
        'Non è stato possibile consegnare qui i nostri messaggi, quindi non ne inviamo più. Contatta il negozio se è un errore.',
      complaint:
        'Un messaggio inviato qui è stato segnalato come spam, quindi non ne inviamo più. Contatta il negozio se è un errore.',
      shop: 'Il negozio ha smesso di inviare messaggi qui. Contattalo se vuoi riceverli di nuovo.',
    },
    why: 'Perché? (facoltativo)',
    whyNone: 'Nessuna risposta',
    reasons: {
      too_many: 'Troppi messaggi',
      not_interested: 'Non mi interessano',
      bought_elsewhere: 'Ho comprato altrove',
      never_asked: 'Non li ho mai richiesti',
      other: 'Altro motivo',
    },
    note: 'Qualcosa da dire al negozio (facoltativo)',
    noteHint: 'Lo leggerà il negozio. Fino a 500 caratteri.',
    save: 'Salva',
    saved: 'Salvato. La tua scelta vale da subito.',
    nothingChanged: 'Salvato. Le tue impostazioni non sono cambiate.',
    push: 'Notifiche nel browser',
    pushAbout: 'Promemoria sullo schermo sul tuo carrello.',
    pushIn: (browsers) => (browsers === 1 ? 'Attive in 1 browser.' : `Attive in ${browsers} browser. Vale per tutti.`),
    pushAgain: 'Puoi disattivarle qui. Per riattivarle vai nel negozio: il browser lo permette solo lì.',
    stopAll: 'Annulla tutte le iscrizioni',
    stopAllHint: 'Nessun altro messaggio. Puoi riattivarli qui.',
    stopped: 'Hai annullato tutto e non riceverai più messaggi.',
    to: 'A',
  },
  nl: {
    language: 'Taal',
    isLoading: 'Laden',
    linkBroken: 'Deze link is niet compleet. Open hem opnieuw vanuit het bericht dat je kreeg.',
    isTest: 'Dit is een test; er verandert niets.',
    failedTitle: 'De pagina kon niet worden geladen',
    failed: 'Er ging iets mis. Probeer het zo nog eens.',
    retry: 'Opnieuw proberen',
    unsubscribe: 'Afmelden',
    isUnsubscribed: 'Je bent afgemeld',
    ask: ['Geen herinneringen meer van ', ' aan ', '?'],
    done: [' krijgt geen herinneringen meer van ', '.'],
    byMistake: 'Per ongeluk afgemeld?',
    subscribeAgain: 'Weer aanmelden',
    preferences: 'Voorkeuren beheren',
    title: 'Voorkeuren voor berichten',
    channels: 'Hoe we je mogen schrijven',
    pending: 'Nog niet bevestigd. We sturen je een sms: antwoord YES om te bevestigen.',
    lock: {
      undeliverable:
        'Onze berichten konden hier niet worden bezorgd, dus we sturen er geen meer. Neem contact op met de winkel als dit niet klopt.',
      complaint:
        'Een bericht hierheen is als spam gemeld, dus we sturen er geen meer. Neem contact op met de winkel als dit niet klopt.',
      shop: 'De winkel stuurt hier geen berichten meer naartoe. Neem contact op als je ze weer wilt.',
    },
    why: 'Waarom? (optioneel)',
    whyNone: 'Geen antwoord',
    reasons: {
      too_many: 'Te veel berichten',
      not_interested: 'Ze zijn niet interessant voor mij',
      bought_elsewhere: 'Ik heb het ergens anders gekocht',
      never_asked: 'Ik heb me nooit aangemeld',
      other: 'Iets anders',
    },
    note: 'Wil je de winkel iets laten weten? (optioneel)',
    noteHint: 'De winkel leest dit. Maximaal 500 tekens.',
    save: 'Opslaan',
    saved: 'Opgeslagen. Je keuze geldt vanaf nu.',
    nothingChanged: 'Opgeslagen. Je instellingen zijn niet veranderd.',
    push: 'Meldingen in je browser',
    pushAbout: 'Herinneringen op je scherm aan je winkelwagen.',
    pushIn: (browsers) =>
      browsers === 1 ? 'Aan in 1 browser.' : `Aan in ${browsers} browsers. Dit geldt voor allemaal.`,
    pushAgain:
      'Je kunt ze hier uitzetten. Weer aanzetten kan alleen in de winkel: alleen daar staat je browser dat toe.',
    stopAll: 'Voor alles afmelden',
    stopAllHint: 'Geen enkel bericht meer. Je kunt ze hier weer aanzetten.',
    stopped: 'Je bent voor alles afgemeld en krijgt geen berichten meer.',
    to: 'Aan',
  },
  pt: {
    language: 'Idioma',
    isLoading: 'A carregar',
    linkBroken: 'Este link está incompleto. Abra-o novamente na mensagem recebida.',
    isTest: 'Isto é um teste; nada muda.',
    failedTitle: 'Não foi possível carregar a página',
    failed: 'Algo deu errado. Tente novamente daqui a pouco.',
    retry: 'Tentar novamente',
    unsubscribe: 'Cancelar a inscrição',
    isUnsubscribed: 'Inscrição cancelada',
    ask: ['Parar os lembretes de ', ' para ', '?'],
    done: [' não receberá mais lembretes de ', '.'],
    byMistake: 'Foi por engano?',
    subscribeAgain: 'Inscrever novamente',
    preferences: 'Gerir preferências',
    title: 'Preferências de mensagens',
    channels: 'Como podemos entrar em contato',
    pending: 'Ainda não confirmado. Enviaremos um SMS: responda YES para confirmar.',
    lock: {
      undeliverable:
        'As nossas mensagens não puderam ser entregues aqui, por isso já não as enviamos. Fale com a loja se for um engano.',
      complaint:
        'Uma mensagem enviada para aqui foi marcada como spam, por isso já não as enviamos. Fale com a loja se for um engano.',
      shop: 'A loja deixou de enviar mensagens para aqui. Fale com a loja se quiser voltar a receber.',
    },
    why: 'Porquê? (opcional)',
    whyNone: 'Sem resposta',
    reasons: {
      too_many: 'Demasiadas mensagens',
      not_interested: 'Não me interessam',
      bought_elsewhere: 'Comprei noutro lugar',
      never_asked: 'Nunca me inscrevi',
      other: 'Outro motivo',
    },
    note: 'Algo que queira dizer à loja (opcional)',
    noteHint: 'A loja vai ler. Até 500 caracteres.',
    save: 'Salvar',
    saved: 'Salvo. A escolha vale a partir de agora.',
    nothingChanged: 'Salvo. As suas preferências não mudaram.',
    push: 'Notificações no navegador',
    pushAbout: 'Lembretes na tela sobre o seu carrinho.',
    pushIn: (browsers) =>
      browsers === 1 ? 'Ativas em 1 navegador.' : `Ativas em ${browsers} navegadores. Vale para todos.`,
    pushAgain: 'Pode desativá-las aqui. Para ativá-las de novo, vá à loja: o navegador só permite lá.',
    stopAll: 'Cancelar tudo',
    stopAllHint: 'Nenhuma mensagem mais. Pode ativá-las de novo aqui.',
    stopped: 'Todas as inscrições foram canceladas. Não haverá mais mensagens.',
    to: 'Para',
  },
  pl: {
    language: 'Język',
    isLoading: 'Wczytywanie',
    linkBroken: 'Ten link jest niepełny. Otwórz go ponownie z otrzymanej wiadomości.',
    isTest: 'To jest test; nic się nie zmieni.',
    failedTitle: 'Nie udało się wczytać strony',
    failed: 'Coś poszło nie tak. Spróbuj ponownie za chwilę.',
    retry: 'Spróbuj ponownie',
    unsubscribe: 'Wypisz się',
    isUnsubscribed: 'Wypisano Cię',
    ask: ['Nie wysyłać więcej przypomnień od ', ' na adres ', '?'],
    done: [' nie dostanie więcej przypomnień od ', '.'],
    byMistake: 'To pomyłka?',
    subscribeAgain: 'Zapisz się ponownie',
    preferences: 'Zmień ustawienia wiadomości',
    title: 'Ustawienia wiadomości',
    channels: 'Jak możemy do Ciebie pisać',
    pending: 'Jeszcze niepotwierdzone. Wyślemy SMS: odpowiedz YES, aby potwierdzić.',
    lock: {
      undeliverable:
        'Nie udało się tu dostarczyć naszych wiadomości, więc już ich nie wysyłamy. Jeśli to pomyłka, napisz do sklepu.',
      complaint:
        'Wiadomość wysłaną tutaj zgłoszono jako spam, więc już ich nie wysyłamy. Jeśli to pomyłka, napisz do sklepu.',
      shop: 'Sklep przestał wysyłać tu wiadomości. Napisz do sklepu, jeśli chcesz je znów otrzymywać.',
    },
    why: 'Dlaczego? (opcjonalnie)',
    whyNone: 'Bez odpowiedzi',
    reasons: {
      too_many: 'Za dużo wiadomości',
      not_interested: 'Nie interesują mnie',
      bought_elsewhere: 'Kupiłem/-am gdzie indziej',
      never_asked: 'Nigdy się nie zapisywałem/-am',
      other: 'Inny powód',
    },
    note: 'Co chcesz przekazać sklepowi? (opcjonalnie)',
    noteHint: 'Sklep to przeczyta. Do 500 znaków.',
    save: 'Zapisz',
    saved: 'Zapisano. Twój wybór obowiązuje od teraz.',
    nothingChanged: 'Zapisano. Ustawienia się nie zmieniły.',
    push: 'Powiadomienia w przeglądarce',
    pushAbout: 'Przypomnienia o koszyku na ekranie.',
    pushIn: (browsers) =>
      browsers === 1 ? 'Włączone w 1 przeglądarce.' : `Włączone w ${browsers} przeglądarkach. Dotyczy to wszystkich.`,
    pushAgain: 'Tutaj możesz je wyłączyć. Ponownie włączysz je tylko w sklepie: przeglądarka pozwala na to tylko tam.',
    stopAll: 'Wypisz się ze wszystkiego',
    stopAllHint: 'Żadnych więcej wiadomości. Możesz je tu ponownie włączyć.',
    stopped: 'Wypisano Cię ze wszystkiego. Nie dostaniesz więcej wiadomości.',
    to: 'Do',
  },
}
