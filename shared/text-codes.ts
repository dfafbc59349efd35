// Error codes of Twilio and WhatsApp with their meaning for the sender; the two do not overlap. Channels read the
// effect, screens the text. Unlisted codes are permanent and shown with the provider's own text.

export interface TextCode {
  words: string
  /**
   * `retry`: not accepted, but may be later · `unsubscribed`, `invalid`: suppresses the number with that reason ·
   * missing: this message is rejected permanently.
   */
  effect?: 'retry' | 'unsubscribed' | 'invalid'
}

export const textCodes: Readonly<Record<string, TextCode>> = {
  // Twilio
  '20001': { words: 'Twilio does not accept the message in this form.' },
  '20003': {
    words: 'Twilio does not accept the credentials. Enter them again under Settings, Sending.',
    effect: 'retry',
  },
  '20005': { words: 'The Twilio account is not active.', effect: 'retry' },
  '20404': { words: 'Twilio does not know this account or sender.' },
  '20429': { words: 'Twilio’s rate limit was reached.', effect: 'retry' },
  '21211': { words: 'This phone number cannot be reached.', effect: 'invalid' },
  '21212': { words: 'The sender number is not valid. Check the senders under Settings, Sending.' },
  '21217': { words: 'This phone number cannot be reached.', effect: 'invalid' },
  '21266': { words: 'The recipient’s number is the sender’s own number.' },
  '21408': {
    words: 'The Twilio account may not send to this country. Allow it in Twilio under Messaging, Geo permissions.',
  },
  '21602': { words: 'The message is empty.' },
  '21603': { words: 'No sender is set for this country.' },
  '21604': { words: 'No recipient was given.' },
  '21606': { words: 'The sender cannot send SMS. Choose another one under Settings, Sending.' },
  '21608': { words: 'A Twilio trial account can message verified numbers only.' },
  '21609': { words: 'Twilio does not accept this server’s address for delivery reports.' },
  '21610': { words: 'The shopper opted out at Twilio with STOP.', effect: 'unsubscribed' },
  '21611': { words: 'Too many messages from this sender are queued at Twilio.', effect: 'retry' },
  '21612': { words: 'The sender cannot reach this number. A sender from that country may.' },
  '21614': { words: 'This number cannot receive SMS: it is not a mobile number.', effect: 'invalid' },
  '21617': { words: 'The message is longer than 1,600 characters.' },
  '21655': { words: 'Twilio does not know this content template.' },
  '21656': { words: 'The template’s variables do not fit it. Choose it again under Settings, Sending.' },
  '21659': { words: 'The sender is not a number of this Twilio account.' },
  '21660': { words: 'The sender is not a number of this Twilio account.' },
  '21703': { words: 'The messaging service has no sender.' },
  '21705': { words: 'Twilio does not know this messaging service.' },
  '30001': { words: 'Too many messages from this sender are queued at Twilio.', effect: 'retry' },
  '30002': { words: 'The Twilio account was suspended before the message was sent.' },
  '30003': { words: 'The phone could not be reached: it is off or out of coverage.' },
  '30004': { words: 'The shopper’s carrier blocks the message.' },
  '30005': { words: 'This phone number does not exist.', effect: 'invalid' },
  '30006': { words: 'This is a landline, or the carrier does not support SMS.', effect: 'invalid' },
  '30007': { words: 'The carrier filtered the message as unwanted.' },
  '30008': { words: 'The carrier did not say why the message was not delivered.' },
  '30032': { words: 'The toll-free sender is not verified yet.' },
  '30034': { words: 'The sender is not registered for US traffic (A2P 10DLC). Register it in Twilio.' },
  '30410': { words: 'The carrier did not answer in time.' },
  '63003': { words: 'This number is not on WhatsApp.' },
  '63007': { words: 'The sender is not set up for WhatsApp at Twilio.' },
  '63016': { words: 'WhatsApp accepts only approved templates more than 24 hours after the shopper’s last message.' },
  '63018': { words: 'WhatsApp’s rate limit was reached.', effect: 'retry' },
  '63024': { words: 'WhatsApp does not know this recipient.' },
  '63032': { words: 'WhatsApp does not allow messages to this shopper at present.' },
  '63049': { words: 'WhatsApp held it back: this shopper has had enough marketing messages for now.' },
  // WhatsApp Cloud API
  '0': { words: 'WhatsApp does not accept the access token. Enter it again under Settings, Sending.', effect: 'retry' },
  '3': { words: 'The access token may not send messages.', effect: 'retry' },
  '4': { words: 'WhatsApp’s rate limit was reached.', effect: 'retry' },
  '10': { words: 'The access token may not send messages.', effect: 'retry' },
  '33': { words: 'WhatsApp does not know this sender. Check the phone number ID.' },
  '100': { words: 'WhatsApp does not accept the message in this form.' },
  '190': {
    words: 'The access token has expired or was revoked. Enter a new one under Settings, Sending.',
    effect: 'retry',
  },
  '200': { words: 'The access token may not send messages.', effect: 'retry' },
  '368': { words: 'WhatsApp has blocked the account for breaking its policies.' },
  '2635': {
    words:
      'This API version is no longer supported. The server’s administrator must set WHATSAPP_API_VERSION to a newer one.',
    effect: 'retry',
  },
  '80007': { words: 'WhatsApp’s rate limit was reached.', effect: 'retry' },
  '130429': { words: 'WhatsApp’s rate limit was reached.', effect: 'retry' },
  '130472': { words: 'WhatsApp did not deliver it: this shopper is part of a WhatsApp experiment.' },
  '130497': { words: 'The business may not message shoppers in this country.' },
  '131000': { words: 'WhatsApp did not say why it failed.' },
  '131005': { words: 'The access token may not send messages.', effect: 'retry' },
  '131008': { words: 'A variable of the template is missing. Choose the template again under Settings, Sending.' },
  '131009': { words: 'A template variable has a value that WhatsApp does not accept.' },
  '131016': { words: 'WhatsApp is overloaded.' },
  '131021': { words: 'The recipient’s number is the sender’s own number.' },
  '131026': {
    words: 'It cannot be delivered: the number is not on WhatsApp, or its owner has not accepted the WhatsApp terms.',
  },
  '131030': { words: 'A WhatsApp test number can message only the recipients on its list.' },
  '131031': { words: 'WhatsApp has locked the business account.' },
  '131037': { words: 'The sender has no display name approved by WhatsApp.' },
  '131042': { words: 'The WhatsApp business account has no valid payment method.' },
  '131045': { words: 'The sender is not registered with WhatsApp.' },
  '131047': { words: 'WhatsApp accepts only approved templates more than 24 hours after the shopper’s last message.' },
  '131048': { words: 'WhatsApp limits this sender because too many people blocked or reported it.', effect: 'retry' },
  '131049': { words: 'WhatsApp held it back: this shopper has had enough marketing messages for now.' },
  '131050': { words: 'The shopper has stopped your marketing messages in WhatsApp.', effect: 'unsubscribed' },
  '131051': { words: 'WhatsApp does not support this kind of message.' },
  '131056': { words: 'Too many messages to this shopper in a short time.', effect: 'retry' },
  '132000': {
    words: 'The number of template variables does not match. Choose the template again under Settings, Sending.',
  },
  '132001': { words: 'WhatsApp has no approved template with this name in this language.' },
  '132005': { words: 'The template is too long with its variables filled in.' },
  '132007': { words: 'WhatsApp refuses the template’s content.' },
  '132012': { words: 'A template variable does not have the approved format.' },
  '132015': { words: 'WhatsApp has paused the template because of its low quality.' },
  '132016': { words: 'WhatsApp has permanently disabled the template.' },
  '132018': { words: 'The template’s variables do not fit it. Choose it again under Settings, Sending.' },
  '133010': { words: 'The sender is not registered with WhatsApp.' },
}
