import type { DesignCopy } from './copy.ts'

export const es: DesignCopy = {
  greeting: 'Hola {customer|de nuevo}:',
  back: 'Volver a mi carrito',
  inYourCart: 'En tu carrito',
  yourCode: 'Tu código',
  offer: 'Para tu carrito: {offer}',
  shipping: 'Envío',
  returns: 'Devoluciones',
  questions: 'Preguntas',
  quiet: {
    first: {
      subject: 'Tu carrito en {store}',
      preview: 'Está guardado, tal como lo dejaste.',
      heading: '¿Aún lo tienes en mente?',
      text: 'Hemos guardado tu carrito, tal como lo dejaste.',
    },
    second: {
      subject: '¿Alguna pregunta sobre tu carrito en {store}?',
      preview: 'Pregúntanos antes de decidirte.',
      heading: '¿Qué te gustaría saber?',
      text: 'Un detalle, el envío, una devolución: responde a este correo y te ayudamos con mucho gusto.',
    },
    last: {
      subject: 'Ahorra {saving} en tu carrito de {store}',
      preview: 'Este es nuestro último correo sobre tu carrito.',
      saving: 'Ahorra {saving} en tu carrito',
      text: 'Este es nuestro último correo sobre tu carrito. El descuento es nuestra forma de darte las gracias.',
      plainHeading: '¿Una última mirada?',
      plainText: 'Este es nuestro último correo sobre tu carrito. Si todavía te gusta, está a un solo clic.',
    },
  },
  warm: {
    first: {
      subject: 'Tu carrito en {store} está guardado',
      preview: 'Sigue donde lo dejaste.',
      heading: 'Guardado para ti',
      text: 'Hola {customer|de nuevo}: elegiste algo bonito. Tu carrito sigue aquí, tal como lo dejaste.',
    },
    second: {
      subject: '¿Te ayudamos a decidir?',
      preview: 'Responde a este correo.',
      heading: '¿Te ayudamos a decidir?',
      text: 'Hola {customer|de nuevo}: elegir bien lleva su tiempo. Si algo no te queda claro, responde a este correo. Te ayudamos con mucho gusto.',
    },
    last: {
      subject: '{saving} de descuento, con nuestro agradecimiento',
      preview: 'Un pequeño gracias de {store}.',
      saving: '{saving} de descuento, de nosotros para ti',
      text: 'Hola {customer|de nuevo}: este es nuestro último mensaje sobre tu carrito, y no queríamos venir con las manos vacías.',
      plainHeading: 'Un último saludo',
      plainText:
        'Hola {customer|de nuevo}: este es nuestro último mensaje sobre tu carrito. Si todavía te gusta, está a un clic. Si no, gracias por tu visita.',
    },
  },
  bold: {
    first: {
      subject: 'Te dejaste lo mejor',
      preview: 'Tu carrito en {store} está guardado.',
      heading: 'Te dejaste\nlo mejor',
      text: 'Tu carrito en {store} está guardado. Sigue donde lo dejaste.',
    },
    second: {
      subject: '¿Dudas? Pregunta',
      preview: 'Responde a este correo.',
      heading: '¿Dudas?\nPregunta',
      text: '¿Aún no lo tienes claro? Responde a este correo y lo resolvemos juntos.',
    },
    last: {
      subject: 'Ahorra {saving} en {store}',
      preview: 'Este es nuestro último correo sobre tu carrito.',
      saving: 'Ahorra\n{saving}',
      text: 'Este es nuestro último correo sobre tu carrito. Queríamos que fuera bueno.',
      plainHeading: 'Último\nrecordatorio',
      plainText: 'Este es nuestro último correo sobre tu carrito. ¿Todavía lo quieres? Está a un clic.',
    },
  },
  letter: {
    first: {
      subject: 'Tu carrito en {store}',
      preview: 'Una nota breve de nuestra parte.',
      text: 'Estabas a punto de hacer un pedido en {store} y no llegaste a terminarlo. Hemos guardado tu carrito para que sigas donde lo dejaste.',
      close: '¿Algo falló al pagar o tienes alguna pregunta? Responde a este correo.',
      sign: 'Un saludo,\n{store}',
    },
    second: {
      subject: '¿Todavía lo estás pensando?',
      preview: 'Tómate tu tiempo. Tu carrito está guardado.',
      text: '¿Todavía lo estás pensando? Tómate tu tiempo. Tu carrito en {store} está guardado.',
      close: 'Si te queda alguna duda, responde a este correo. Para eso estamos.',
      sign: 'Un saludo,\n{store}',
    },
    last: {
      subject: 'Ahorra {saving} en tu carrito de {store}',
      preview: 'Este es nuestro último correo sobre tu carrito.',
      saving: 'Ahorra {saving} en tu carrito',
      text: 'Este es nuestro último correo sobre tu carrito y trae un código para ti.',
      plainText: 'Este es nuestro último correo sobre tu carrito. Si todavía te gusta, está a un solo clic.',
      close:
        'Si has cambiado de idea, no tienes que hacer nada. ¿Podríamos haber hecho algo mejor? Nos encantaría saberlo.',
      sign: 'Gracias por tu visita,\n{store}',
    },
  },
}
