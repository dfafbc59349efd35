// What Twilio's and WhatsApp's error codes mean for the one who sends, in words. The two do not overlap. One table: channels read from
// it what to do, screens what to say. Codes that are not listed are permanent, and shown with the provider's own sentence.

export interface TextCode {
  words: string
  /**
   * What follows: `retry` = proof that it was not accepted, and later it may be · `unsubscribed` and `invalid` = this number is not
   * written to again, with that reason · nothing = this message is refused for good.
   */
  effect?: 'retry' | 'unsubscribed' | 'invalid'
}

export const textCodes: Readonly<Record<string, TextCode>> = {
  // Twilio
  '20003': {
    words: 'Twilio does not accept the credentials. Enter them again under Settings, Sending.',
    effect: 'retry',
  },
  '20005': { words: 'The Twilio account is not active.', effect: 'retry' },
  '20404': { words: 'Twilio does not know this account or sender.' },
  '20429': { words: 'Twilio asks to send more slowly.', effect: 'retry' },
  '21211': { words: 'This is not a phone number that can be dialled.', effect: 'invalid' },
  '21212': { words: 'The sender number is not valid. Check the senders under Settings, Sending.' },
  '21217': { words: 'This is not a phone number that can be dialled.', effect: 'invalid' },
  '21266': { words: 'The message would go to the number it comes from.' },
  '21408': {
    words: 'The Twilio account may not send to this country. Allow it in Twilio under Messaging, Geo permissions.',
  },
  '21602': { words: 'The message is empty.' },
  '21603': { words: 'No sender is set for this country.' },
  '21604': { words: 'No recipient was given.' },
  '21606': { words: 'The sender cannot send SMS. Choose another one under Settings, Sending.' },
  '21608': { words: 'A trial account of Twilio writes to verified numbers only.' },
  '21609': { words: 'Twilio does not accept this server’s address for delivery reports.' },
  '21610': { words: 'The shopper has opted out at Twilio by STOP.', effect: 'unsubscribed' },
  '21611': { words: 'Too many messages of this sender wait at Twilio.', effect: 'retry' },
  '21612': { words: 'The sender cannot reach this number. Another sender may, for example one of that country.' },
  '21614': { words: 'This number cannot receive SMS: it is not a mobile one.', effect: 'invalid' },
  '21617': { words: 'The message is longer than 1,600 characters.' },
  '21655': { words: 'Twilio does not know this content template.' },
  '21656': { words: 'The template’s variables do not fit it. Choose it again under Settings, Sending.' },
  '21659': { words: 'The sender is not a number of this Twilio account.' },
  '21660': { words: 'The sender is not a number of this Twilio account.' },
  '21703': { words: 'The messaging service has no sender.' },
  '21705': { words: 'Twilio does not know this messaging service.' },
  '30001': { words: 'Too many messages of this sender wait at Twilio.', effect: 'retry' },
  '30002': { words: 'The Twilio account was suspended before the message left.' },
  '30003': { words: 'The phone could not be reached: it is off, or the carrier does not find it.' },
  '30004': { words: 'The shopper’s carrier blocks the message.' },
  '30005': { words: 'No phone has this number.', effect: 'invalid' },
  '30006': { words: 'This is a landline or a carrier that takes no SMS.', effect: 'invalid' },
  '30007': { words: 'The carrier filtered the message as unwanted.' },
  '30008': { words: 'The carrier did not say why the message was not delivered.' },
  '30032': { words: 'The toll-free sender is not verified yet.' },
  '30034': { words: 'The sender is not registered for US traffic (A2P 10DLC). Register it in Twilio.' },
  '30410': { words: 'The carrier did not answer in time.' },
  '63003': { words: 'This number is not on WhatsApp.' },
  '63007': { words: 'The sender is not set up for WhatsApp at Twilio.' },
  '63016': { words: 'Outside of 24 hours after the shopper’s own message WhatsApp takes approved templates only.' },
  '63018': { words: 'WhatsApp asks to send more slowly.', effect: 'retry' },
  '63024': { words: 'WhatsApp does not know this recipient.' },
  '63032': { words: 'WhatsApp does not let this shopper be written to at present.' },
  '63049': { words: 'WhatsApp held it back: this shopper has had enough marketing messages for now.' },
  // WhatsApp Cloud API
  '0': { words: 'WhatsApp does not accept the access token. Enter it again under Settings, Sending.', effect: 'retry' },
  '3': { words: 'The access token may not send messages.', effect: 'retry' },
  '4': { words: 'WhatsApp asks to send more slowly.', effect: 'retry' },
  '10': { words: 'The access token may not send messages.', effect: 'retry' },
  '33': { words: 'WhatsApp does not know this sender. Check the phone number ID.' },
  '100': { words: 'WhatsApp does not accept the message as it is.' },
  '190': {
    words: 'The access token has expired or was revoked. Enter a new one under Settings, Sending.',
    effect: 'retry',
  },
  '200': { words: 'The access token may not send messages.', effect: 'retry' },
  '368': { words: 'WhatsApp has blocked the account for breaking its policies.' },
  '2635': {
    words:
      'This version of the interface has ended. Whoever runs this server sets WHATSAPP_API_VERSION to a newer one.',
    effect: 'retry',
  },
  '80007': { words: 'WhatsApp asks to send more slowly.', effect: 'retry' },
  '130429': { words: 'WhatsApp asks to send more slowly.', effect: 'retry' },
  '130472': { words: 'WhatsApp did not deliver it: this shopper is part of an experiment of WhatsApp’s.' },
  '130497': { words: 'The business may not write to shoppers in this country.' },
  '131000': { words: 'WhatsApp did not say why it failed.' },
  '131005': { words: 'The access token may not send messages.', effect: 'retry' },
  '131008': { words: 'A variable of the template is missing. Choose the template again under Settings, Sending.' },
  '131009': { words: 'A variable of the template has a value WhatsApp does not take.' },
  '131016': { words: 'WhatsApp is overloaded.' },
  '131021': { words: 'The message would go to the number it comes from.' },
  '131026': { words: 'It cannot be delivered: the number is not on WhatsApp, or has not accepted its terms.' },
  '131030': { words: 'A test number of WhatsApp writes to its list of recipients only.' },
  '131031': { words: 'WhatsApp has locked the business account.' },
  '131037': { words: 'The sender has no display name WhatsApp has approved.' },
  '131042': { words: 'The WhatsApp business account has no valid means of payment.' },
  '131045': { words: 'The sender is not registered with WhatsApp.' },
  '131047': { words: 'Outside of 24 hours after the shopper’s own message WhatsApp takes approved templates only.' },
  '131048': { words: 'WhatsApp limits this sender, as too many people blocked or reported it.', effect: 'retry' },
  '131049': { words: 'WhatsApp held it back: this shopper has had enough marketing messages for now.' },
  '131050': { words: 'The shopper has stopped marketing messages of yours in WhatsApp.', effect: 'unsubscribed' },
  '131051': { words: 'WhatsApp does not take this kind of message.' },
  '131056': { words: 'Too many messages to this shopper in a short time.', effect: 'retry' },
  '132000': { words: 'The template has another number of variables. Choose it again under Settings, Sending.' },
  '132001': { words: 'WhatsApp has no approved template of this name in this language.' },
  '132005': { words: 'With its variables filled in the template is too long.' },
  '132007': { words: 'WhatsApp refuses the template’s content.' },
  '132012': { words: 'A variable of the template has another form than was approved.' },
  '132015': { words: 'WhatsApp has paused the template for its low quality.' },
  '132016': { words: 'WhatsApp has disabled the template for good.' },
  '132018': { words: 'The template’s variables do not fit it. Choose it again under Settings, Sending.' },
  '133010': { words: 'The sender is not registered with WhatsApp.' },
}

/** The words for a code; null when it is not in the table. */
export const textCodeWords = (code: string | number | null): string | null =>
  code === null ? null : (textCodes[String(code)]?.words ?? null)
