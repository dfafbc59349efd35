import type { DesignCopy } from './copy.ts'

export const pt: DesignCopy = {
  greeting: 'Olá {customer|de novo},',
  back: 'Voltar ao meu carrinho',
  inYourCart: 'No seu carrinho',
  yourCode: 'O seu código',
  offer: 'Para o seu carrinho: {offer}',
  shipping: 'Envio',
  returns: 'Devoluções',
  questions: 'Perguntas',
  quiet: {
    first: {
      subject: 'O seu carrinho em {store}',
      preview: 'Está guardado, tal como o deixou.',
      heading: 'Ainda pensa nele?',
      text: 'O seu carrinho está guardado, tal como o deixou.',
    },
    second: {
      subject: 'Alguma pergunta sobre o seu carrinho em {store}?',
      preview: 'Pergunte-nos antes de decidir.',
      heading: 'O que gostaria de saber?',
      text: 'Um detalhe, o envio, uma devolução: basta responder a este e-mail. Ajudamos com todo o gosto.',
    },
    last: {
      subject: '{saving} de desconto no seu carrinho em {store}',
      preview: 'Este é o nosso último e-mail sobre o seu carrinho.',
      saving: '{saving} de desconto no seu carrinho',
      text: 'Este é o nosso último e-mail sobre o seu carrinho. O desconto é a nossa forma de agradecer.',
      plainHeading: 'Um último olhar?',
      plainText: 'Este é o nosso último e-mail sobre o seu carrinho. Se ainda o quiser, está à distância de um clique.',
    },
  },
  warm: {
    first: {
      subject: 'O seu carrinho em {store} está guardado',
      preview: 'Continue de onde parou.',
      heading: 'O seu carrinho espera',
      text: 'Olá {customer|de novo}, escolheu algo bonito. O seu carrinho continua aqui, tal como o deixou.',
    },
    second: {
      subject: 'Podemos ajudar na escolha?',
      preview: 'Basta responder a este e-mail.',
      heading: 'Podemos ajudar na escolha?',
      text: 'Olá {customer|de novo}, escolher bem leva o seu tempo. Se algo não estiver claro, basta responder a este e-mail. Ajudamos com todo o gosto.',
    },
    last: {
      subject: '{saving} de desconto, com o nosso agradecimento',
      preview: 'Um pequeno obrigado de {store}.',
      saving: '{saving} de desconto, com carinho',
      text: 'Olá {customer|de novo}, esta é a nossa última mensagem sobre o seu carrinho, e não quisemos vir de mãos vazias.',
      plainHeading: 'Um último olá',
      plainText:
        'Olá {customer|de novo}, esta é a nossa última mensagem sobre o seu carrinho. Se ainda o quiser, está à distância de um clique. Se não, obrigado pela visita.',
    },
  },
  bold: {
    first: {
      subject: 'Deixou o melhor para trás',
      preview: 'O seu carrinho em {store} está guardado.',
      heading: 'Deixou\no melhor',
      text: 'O seu carrinho em {store} está guardado. Continue de onde parou.',
    },
    second: {
      subject: 'Dúvidas? Pergunte',
      preview: 'Basta responder a este e-mail.',
      heading: 'Dúvidas?\nPergunte',
      text: 'Ainda não tem a certeza? Responda a este e-mail e resolvemos juntos.',
    },
    last: {
      subject: '{saving} de desconto em {store}',
      preview: 'Este é o nosso último e-mail sobre o seu carrinho.',
      saving: '{saving}\nde desconto',
      text: 'Este é o nosso último e-mail sobre o seu carrinho. Quisemos que fosse dos bons.',
      plainHeading: 'Último\nlembrete',
      plainText: 'Este é o nosso último e-mail sobre o seu carrinho. Ainda o quer? Está à distância de um clique.',
    },
  },
  letter: {
    first: {
      subject: 'O seu carrinho em {store}',
      preview: 'Uma breve nota da nossa parte.',
      text: 'Estava prestes a fazer uma encomenda em {store} e não chegou ao fim. O seu carrinho está guardado, para continuar de onde parou.',
      close: 'Algo correu mal no pagamento ou tem alguma pergunta? Basta responder a este e-mail.',
      sign: 'Com os melhores cumprimentos,\n{store}',
    },
    second: {
      subject: 'Ainda com dúvidas?',
      preview: 'Sem pressa. O seu carrinho está guardado.',
      text: 'Ainda com dúvidas? Não há pressa. O seu carrinho em {store} está guardado.',
      close: 'Se ainda tiver alguma dúvida, responda a este e-mail. Estamos aqui para isso.',
      sign: 'Com os melhores cumprimentos,\n{store}',
    },
    last: {
      subject: '{saving} de desconto no seu carrinho em {store}',
      preview: 'Este é o nosso último e-mail sobre o seu carrinho.',
      saving: '{saving} de desconto no seu carrinho',
      text: 'Este é o nosso último e-mail sobre o seu carrinho, e traz um código.',
      plainText: 'Este é o nosso último e-mail sobre o seu carrinho. Se ainda o quiser, está à distância de um clique.',
      close:
        'Se mudou de ideias, não precisa de fazer nada. Podíamos ter feito algo melhor? Gostaríamos muito de saber.',
      sign: 'Obrigado pela visita,\n{store}',
    },
  },
}
