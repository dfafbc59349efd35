// Product pictures as SVG, 600 by 600, without external resources. scripts/demo-pictures.ts renders the images that the
// store serves.
type Picture = { from: string; to: string; draw: string }

const shine = 'fill="#fff" opacity=".28"'
const cup = (body: string, inside: string, foot: string) => `
  <g><path d="M190 330h220l-16 120a34 34 0 0 1-34 30H240a34 34 0 0 1-34-30z" fill="${body}"/><ellipse cx="300" cy="330" rx="110" ry="26" fill="${inside}"/>
  <path d="M206 440h188l-4 14a34 34 0 0 1-32 26H242a34 34 0 0 1-32-26z" fill="${foot}"/></g>
  <g transform="translate(14 -122) scale(.95)"><path d="M190 330h220l-16 120a34 34 0 0 1-34 30H240a34 34 0 0 1-34-30z" fill="${body}"/>
  <ellipse cx="300" cy="330" rx="110" ry="26" fill="${inside}"/><path d="M206 440h188l-4 14a34 34 0 0 1-32 26H242a34 34 0 0 1-32-26z" fill="${foot}"/>
  <path d="M214 362l10 84" stroke="#fff" stroke-width="12" stroke-linecap="round" opacity=".28"/></g>`
const bag = (body: string, dark: string, label: string, mark: string) => `
  <path d="M196 176h208l18 292a22 22 0 0 1-22 24H200a22 22 0 0 1-22-24z" fill="${body}"/><path d="M196 176h208l-4-46H200z" fill="${dark}"/>
  <path d="M200 130h200v14H200z" fill="#fff" opacity=".25"/><rect x="222" y="250" width="156" height="160" rx="10" fill="${label}"/>${mark}
  <path d="M206 200l-12 268" stroke="#fff" stroke-width="12" stroke-linecap="round" opacity=".18"/>`
const leaf = (x: number, y: number, angle: number, color: string, size = 1) =>
  `<path transform="translate(${x} ${y}) rotate(${angle}) scale(${size})" d="M0 0C18-34 18-62 0-92C-18-62-18-34 0 0z" fill="${color}"/>`
const bean = (x: number, y: number, angle: number) => `<g transform="translate(${x} ${y}) rotate(${angle})">
  <ellipse rx="24" ry="34" fill="#4a2f22"/><path d="M0-32C10-12-10 12 0 32" stroke="#2b1a12" stroke-width="5" fill="none"/></g>`

const pictures = {
  mug: {
    from: '#f3e4d2',
    to: '#dfc3a2',
    draw: `<path d="M392 276h44a64 64 0 0 1 0 128h-44" fill="none" stroke="#efe9df" stroke-width="28"/>
  <path d="M180 210h224v220a56 56 0 0 1-56 56H236a56 56 0 0 1-56-56z" fill="#f7f3ec"/><path d="M180 400h224v30a56 56 0 0 1-56 56H236a56 56 0 0 1-56-56z" fill="#b9835a"/>
  <ellipse cx="292" cy="210" rx="112" ry="26" fill="#e4d9c8"/><ellipse cx="292" cy="214" rx="92" ry="18" fill="#6b3f25"/><rect x="204" y="250" width="22" height="130" rx="11" ${shine}/>`,
  },
  teaTin: {
    from: '#dbe4ea',
    to: '#a9bccb',
    draw: `<rect x="186" y="214" width="228" height="276" rx="16" fill="#24425c"/><path d="M186 230a114 28 0 0 1 228 0v22H186z" fill="#1a3246"/>
  <ellipse cx="300" cy="214" rx="114" ry="28" fill="#33597a"/><ellipse cx="300" cy="208" rx="74" ry="16" fill="#24425c"/><circle cx="300" cy="362" r="68" fill="#f0e3c4"/>
  ${leaf(300, 408, 0, '#24425c')}${leaf(300, 408, 46, '#5d7f9b', 0.8)}${leaf(300, 408, -46, '#5d7f9b', 0.8)}<rect x="206" y="262" width="14" height="200" rx="7" ${shine}/>`,
  },
  pouch: {
    from: '#e5edd6',
    to: '#b9cf98',
    draw: bag(
      '#5f8245',
      '#4a6835',
      '#f5f1e0',
      `${leaf(300, 392, 0, '#5f8245', 1.2)}${leaf(300, 392, 40, '#8fb06e')}${leaf(300, 392, -40, '#8fb06e')}`,
    ),
  },
  chai: {
    from: '#f6dfc0',
    to: '#e3ae6c',
    draw: bag(
      '#b5622c',
      '#8f4a1e',
      '#fbeed8',
      `<g transform="translate(300 330)">${[0, 45, 90, 135, 180, 225, 270, 315].map((angle) => leaf(0, 0, angle, '#8f4a1e', 0.62)).join('')}<circle r="14" fill="#fbeed8"/></g>`,
    ),
  },
  coffeeBag: {
    from: '#e6d8cc',
    to: '#bfa18a',
    draw: bag('#3a2a24', '#261a16', '#e8c9a0', `${bean(268, 330, -24)}${bean(330, 322, 20)}${bean(300, 376, 76)}`),
  },
  filterBag: {
    from: '#e2ecee',
    to: '#a8c8cd',
    draw: bag(
      '#f2ece1',
      '#d9cfbd',
      '#5e97a0',
      `<path d="M252 300h96l-34 62v30h-28v-30z" fill="#f2ece1"/><circle cx="300" cy="282" r="10" fill="#f2ece1"/>`,
    ),
  },
  dripper: {
    from: '#efe6dc',
    to: '#cbb49b',
    draw: `<path d="M196 150h208l-66 122h-76z" fill="#fbf8f3"/>${[226, 262, 300, 338, 374].map((x) => `<path d="M${x} 160L${300 + (x - 300) * 0.4} 264" stroke="#dccfbd" stroke-width="7"/>`).join('')}
  <ellipse cx="300" cy="150" rx="104" ry="20" fill="#e3d7c6"/><ellipse cx="300" cy="152" rx="80" ry="12" fill="#5a3a26"/><rect x="232" y="270" width="136" height="18" rx="9" fill="#c9906a"/>
  <path d="M244 296h112l44 150a36 36 0 0 1-34 46H234a36 36 0 0 1-34-46z" fill="#fff" opacity=".6"/><path d="M220 378h160l20 70a36 36 0 0 1-34 44H234a36 36 0 0 1-34-44z" fill="#5a3a26" opacity=".88"/>`,
  },
  teapot: {
    from: '#f7dfd3',
    to: '#e5a98c',
    draw: `<path d="M404 320c60-6 70-60 92-84l16 18c-20 40-34 116-104 138z" fill="#b4532f"/><path d="M196 300c-74-8-98 132-2 132" fill="none" stroke="#b4532f" stroke-width="26"/>
  <path d="M300 238c92 0 134 62 134 132 0 76-56 118-134 118s-134-42-134-118c0-70 42-132 134-132z" fill="#c8643b"/><path d="M176 400c10 60 60 88 124 88s114-28 124-88c-70 26-178 26-248 0z" fill="#8f3f22"/>
  <path d="M232 244c8-32 128-32 136 0-20 14-116 14-136 0z" fill="#b4532f"/><circle cx="300" cy="206" r="18" fill="#f5e6d8"/><path d="M210 300c-14 22-18 46-16 70" stroke="#fff" stroke-width="14" stroke-linecap="round" fill="none" opacity=".3"/>`,
  },
  bowl: {
    from: '#e8e6df',
    to: '#c3bdb0',
    draw: `<path d="M130 310h340c0 104-70 176-170 176s-170-72-170-176z" fill="#e9e2d4"/><path d="M172 424c30 40 76 62 128 62s98-22 128-62c-70 20-186 20-256 0z" fill="#8a7f70"/>
  <ellipse cx="300" cy="310" rx="170" ry="42" fill="#cfc5b3"/><ellipse cx="300" cy="316" rx="140" ry="28" fill="#b6aa95"/>
  ${[
    [180, 350],
    [220, 390],
    [262, 366],
    [306, 404],
    [350, 372],
    [398, 352],
    [420, 384],
    [240, 424],
    [372, 416],
  ]
    .map(([x, y]) => `<circle cx="${x}" cy="${y}" r="4" fill="#7b6a54"/>`)
    .join('')}`,
  },
  plates: {
    from: '#dfe5ef',
    to: '#aab8d4',
    draw: `${[470, 440, 410].map((y) => `<ellipse cx="300" cy="${y}" rx="190" ry="36" fill="#f4f1ea"/><ellipse cx="300" cy="${y + 8}" rx="190" ry="34" fill="none" stroke="#c8c6cf" stroke-width="4"/>`).join('')}
  <ellipse cx="300" cy="290" rx="180" ry="156" fill="#faf8f3"/><ellipse cx="300" cy="290" rx="164" ry="141" fill="none" stroke="#4a5f92" stroke-width="12" stroke-dasharray="26 10"/>
  <ellipse cx="300" cy="290" rx="116" ry="98" fill="#efebe1"/>${leaf(300, 336, 0, '#4a5f92')}${leaf(300, 336, 50, '#8a9cc6', 0.8)}${leaf(300, 336, -50, '#8a9cc6', 0.8)}`,
  },
  jar: {
    from: '#ece6dd',
    to: '#b7aa99',
    draw: `<path d="M252 170h96v26c70 22 106 78 106 140 0 90-64 152-154 152s-154-62-154-152c0-62 36-118 106-140z" fill="#f1ece2"/>
  <path d="M448 300c14 96-50 188-148 188-50 0-92-18-120-50 120 20 220-30 268-138z" fill="#a9774d" opacity=".55"/><ellipse cx="300" cy="170" rx="48" ry="12" fill="#cfc4b2"/>
  <path d="M206 260c-20 30-26 60-22 96" stroke="#fff" stroke-width="18" stroke-linecap="round" fill="none" opacity=".7"/>`,
  },
  candy: {
    from: '#fbe7c6',
    to: '#eebd77',
    draw: `<rect x="150" y="290" width="300" height="190" rx="26" fill="#a53f2b"/><path d="M150 316a26 26 0 0 1 26-26h248a26 26 0 0 1 26 26v30H150z" fill="#87301f"/><rect x="180" y="372" width="240" height="80" rx="12" fill="#f8e8cf"/>
  <g fill="#d9892f">${[
    [230, 250, -14],
    [300, 222, 6],
    [372, 252, 22],
  ]
    .map(
      ([x, y, angle]) =>
        `<path transform="translate(${x} ${y}) rotate(${angle})" d="M0-54l14 26 26-8-8 28 22 10-30 18 4 22-28-12-28 12 4-22-30-18 22-10-8-28 26 8z"/>`,
    )
    .join('')}</g>
  <path d="M220 412h160M240 432h120" stroke="#a53f2b" stroke-width="8" stroke-linecap="round"/>`,
  },
  giftBox: {
    from: '#e0ebe4',
    to: '#9fc1ae',
    draw: `<rect x="150" y="276" width="300" height="214" rx="14" fill="#2f5d4c"/><rect x="134" y="228" width="332" height="66" rx="12" fill="#3b735e"/><path d="M278 228h44v262h-44z" fill="#e6b96a"/>
  <path d="M300 226c-70-10-96-44-78-70 20-28 66 6 78 70zM300 226c70-10 96-44 78-70-20-28-66 6-78 70z" fill="#e6b96a"/><circle cx="300" cy="222" r="18" fill="#c99544"/>`,
  },
  cupOat: { from: '#f2e8da', to: '#d8c3a5', draw: cup('#f6f1e7', '#ddd0bb', '#b98f66') },
  cupMoss: { from: '#e6ebdb', to: '#b4c29a', draw: cup('#76885a', '#58683f', '#b98f66') },
  cupMidnight: { from: '#dcdfe9', to: '#9aa3bf', draw: cup('#2e3a5c', '#1e2742', '#b98f66') },
} satisfies Record<string, Picture>

export type PictureName = keyof typeof pictures

export const pictureNames = Object.keys(pictures) as PictureName[]

export function drawPicture(name: PictureName): string {
  const picture: Picture = pictures[name]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 600" width="600" height="600" role="img">
  <defs><linearGradient id="b" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${picture.from}"/><stop offset="1" stop-color="${picture.to}"/></linearGradient></defs>
  <rect width="600" height="600" fill="url(#b)"/><circle cx="300" cy="290" r="220" fill="#fff" opacity=".22"/>
  <ellipse cx="300" cy="496" rx="190" ry="22" fill="#000" opacity=".16"/>${picture.draw}</svg>`
}
