import type { DesignCopy } from './copy.ts'

export const en: DesignCopy = {
  greeting: 'Hi {customer|there},',
  back: 'Back to my cart',
  inYourCart: 'In your cart',
  yourCode: 'Your code',
  offer: 'For your cart: {offer}',
  shipping: 'Shipping',
  returns: 'Returns',
  questions: 'Questions',
  quiet: {
    first: {
      subject: 'Your cart at {store}',
      preview: 'It is saved, just as you left it.',
      heading: 'Still on your mind?',
      text: 'We saved your cart, just as you left it.',
    },
    second: {
      subject: 'Any questions about your cart at {store}?',
      preview: 'Ask us before you decide.',
      heading: 'What would you like to know?',
      text: 'A detail, the delivery, a return: just reply to this email. We are glad to help.',
    },
    last: {
      subject: 'Save {saving} on your cart at {store}',
      preview: 'This is our last email about your cart.',
      saving: 'Save {saving} on your cart',
      text: 'This is our last email about your cart. Please accept this with our thanks.',
      plainHeading: 'One last look?',
      plainText: 'This is our last email about your cart. If you would still like it, it is one step away.',
    },
  },
  warm: {
    first: {
      subject: 'We saved your cart at {store}',
      preview: 'Pick up where you left off.',
      heading: 'We saved it for you',
      text: 'Hi {customer|there}, you picked something lovely, and then life happened. Your cart is right where you left it.',
    },
    second: {
      subject: 'Can we help you decide?',
      preview: 'Just reply to this email.',
      heading: 'Can we help you decide?',
      text: 'Hi {customer|there}, choosing well takes a moment. If anything is unclear, just reply to this email. We are happy to help.',
    },
    last: {
      subject: '{saving} off your cart, with our thanks',
      preview: 'A small thank-you from {store}.',
      saving: '{saving} off, from us to you',
      text: 'Hi {customer|there}, this is our last note about your cart, and we did not want to come empty-handed.',
      plainHeading: 'One last hello',
      plainText:
        'Hi {customer|there}, this is our last note about your cart. If you still want it, it is one click away. If not, thank you for stopping by.',
    },
  },
  bold: {
    first: {
      subject: 'You left the good stuff',
      preview: 'Your cart at {store} is saved.',
      heading: 'You left\nthe good stuff',
      text: 'Your cart at {store} is saved. Pick up where you stopped.',
    },
    second: {
      subject: 'Questions? Ask away',
      preview: 'Just reply to this email.',
      heading: 'Questions?\nAsk away',
      text: 'Not sure yet? Reply to this email, and we will sort it out together.',
    },
    last: {
      subject: 'Save {saving} at {store}',
      preview: 'This is our last email about your cart.',
      saving: 'Save {saving}\non your cart',
      text: 'This is our last email about your cart. We made it a good one.',
      plainHeading: 'One last\nreminder',
      plainText: 'This is our last email about your cart. Still want it? It is one tap away.',
    },
  },
  letter: {
    first: {
      subject: 'Your cart at {store}',
      preview: 'A short note from us.',
      text: 'You were about to order at {store} and did not finish. Your cart is saved, so you can carry on where you stopped.',
      close: 'Did something go wrong at checkout, or do you have a question? Just reply to this email.',
      sign: 'Warm regards,\n{store}',
    },
    second: {
      subject: 'Still thinking it over?',
      preview: 'Take your time. Your cart is saved.',
      text: 'Still thinking it over? That is fine. Your cart at {store} is saved.',
      close: 'If anything is unclear, just reply to this email. That is what we are here for.',
      sign: 'Warm regards,\n{store}',
    },
    last: {
      subject: 'Save {saving} on your cart at {store}',
      preview: 'This is our last email about your cart.',
      saving: 'Save {saving} on your cart',
      text: 'This is our last email about your cart, and it comes with a code for you.',
      plainText: 'This is our last email about your cart. If you still want it, it is one step away.',
      close:
        'If you have changed your mind, there is nothing to do. Anything we could have done better? We would love to hear it.',
      sign: 'Thank you for stopping by,\n{store}',
    },
  },
}
