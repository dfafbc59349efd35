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
      preview: 'Your items are saved.',
      heading: 'Still on your mind?',
      text: 'We saved your cart.',
    },
    second: {
      subject: 'Any questions about your cart at {store}?',
      preview: 'Ask us before you decide.',
      heading: 'What would you like to know?',
      text: 'Sizes, shipping, returns: just reply and ask. We’re happy to help.',
    },
    last: {
      subject: 'Save {saving} on your cart at {store}',
      preview: 'This is our last email about your cart.',
      saving: 'Save {saving} on your cart',
      text: 'This is our last email about your cart. Here’s a little something from us.',
      plainHeading: 'One last look?',
      plainText: 'This is our last email about your cart. If you’d still like it, it’s one click away.',
    },
  },
  warm: {
    first: {
      subject: 'We saved your cart at {store}',
      preview: 'Your items are one click away.',
      heading: 'We saved your cart',
      text: 'Hi {customer|there}, you picked something lovely, and then life happened. Pick up where you left off.',
    },
    second: {
      subject: 'Can we help you decide?',
      preview: 'Just reply to this email.',
      heading: 'Can we help you decide?',
      text: 'Hi {customer|there}, no rush. If you have a question, just reply to this email. We’re happy to help.',
    },
    last: {
      subject: '{saving} off your cart, with our thanks',
      preview: 'A small thank-you from {store}.',
      saving: '{saving} off, from us to you',
      text: 'Hi {customer|there}, this is our last note about your cart, and we didn’t want to come empty-handed.',
      plainHeading: 'One last hello',
      plainText:
        'Hi {customer|there}, this is our last note about your cart. If you still want it, it’s one click away. If not, thank you for stopping by.',
    },
  },
  bold: {
    first: {
      subject: 'You left the good stuff',
      preview: 'Your cart at {store} is saved.',
      heading: 'You left\nthe good stuff',
      text: 'Your cart at {store} is saved. Pick up where you left off.',
    },
    second: {
      subject: 'Questions? Ask away',
      preview: 'Just reply to this email.',
      heading: 'Questions?\nAsk away',
      text: 'Not sure yet? Reply to this email, and we’ll sort it out together.',
    },
    last: {
      subject: 'Save {saving} at {store}',
      preview: 'This is our last email about your cart.',
      saving: 'Save {saving}\non your cart',
      text: 'It’s our last email about your cart, so here’s a good one.',
      plainHeading: 'One last\nreminder',
      plainText: 'This is our last email about your cart. Still want it? It’s one click away.',
    },
  },
  letter: {
    first: {
      subject: 'Your cart at {store}',
      preview: 'A short note from us.',
      text: 'You left a few things in your cart at {store}. We saved it, so you can pick up where you left off.',
      close: 'Did something go wrong at checkout, or do you have a question? Just reply to this email.',
      sign: 'All the best,\n{store}',
    },
    second: {
      subject: 'Still thinking it over?',
      preview: 'Take your time. Your cart is saved.',
      text: 'Still thinking it over? That’s fine. Your cart at {store} is saved.',
      close: 'Any questions? Just reply to this email.',
      sign: 'All the best,\n{store}',
    },
    last: {
      subject: 'Save {saving} on your cart at {store}',
      preview: 'This is our last email about your cart.',
      saving: 'Save {saving} on your cart',
      text: 'This is our last email about your cart, and there’s a code in it for you.',
      plainText: 'This is our last email about your cart. If you still want it, it’s one click away.',
      close: 'Changed your mind? No need to do anything. If we could have done better, tell us.',
      sign: 'Thank you for stopping by,\n{store}',
    },
  },
}
