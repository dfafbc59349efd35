// Product pictures as SVG, 600 by 600. scripts/demo-pictures.ts renders the images that the store serves.
type Picture = { from: string; to: string; draw: string }

const leaf = (x: number, y: number, angle: number, color: string, size = 1) =>
  `<path transform="translate(${x} ${y}) rotate(${angle}) scale(${size})" d="M0 0C22-30 22-70 0-104C-22-70-22-30 0 0z" fill="${color}"/>`
const packet = (paper: string, band: string, mark: string) => `
  <path d="M186 130h228v350a14 14 0 0 1-14 14H200a14 14 0 0 1-14-14z" fill="${paper}"/><path d="M186 130h228v46H186z" fill="${band}"/>
  <circle cx="300" cy="318" r="92" fill="#fffaf0"/>${mark}<rect x="222" y="436" width="156" height="14" rx="7" fill="${band}" opacity=".7"/>`
const petals = (x: number, y: number, color: string, size = 1) =>
  [0, 60, 120, 180, 240, 300].map((angle) => leaf(x, y, angle, color, size * 0.5)).join('')

const pictures = {
  knife: {
    from: '#e8e4d6',
    to: '#c3bfa8',
    draw: `<g transform="rotate(38 300 300)"><path d="M274 110c26-30 52-30 52 10v220h-52z" fill="#aab3b8"/><path d="M300 96v244" stroke="#7f8a90" stroke-width="4"/>
  <rect x="262" y="340" width="76" height="22" rx="8" fill="#8a7a44"/><path d="M270 362h60l-8 150a22 22 0 0 1-44 0z" fill="#7a4a2a"/></g>`,
  },
  wateringCan: {
    from: '#dfe8e2',
    to: '#a9c2b2',
    draw: `<path d="M380 300c70-10 90-60 120-110" stroke="#a8602f" stroke-width="26" fill="none" stroke-linecap="round"/><path d="M486 160l44 26" stroke="#8a4a20" stroke-width="22" stroke-linecap="round"/>
  <path d="M200 250h196l-16 210a24 24 0 0 1-24 22H240a24 24 0 0 1-24-22z" fill="#c1733a"/><ellipse cx="298" cy="250" rx="98" ry="22" fill="#8a4a20"/>
  <path d="M214 280c-90 6-100 130 8 140" stroke="#a8602f" stroke-width="22" fill="none"/><rect x="222" y="286" width="16" height="150" rx="8" fill="#fff" opacity=".25"/>`,
  },
  gloves: {
    from: '#efe2cf',
    to: '#d3b78f',
    draw: `<g fill="#b98547"><path d="M180 470V300c0-16 20-16 22 0v-90c0-18 26-18 28 0v70-100c0-18 28-18 28 0v100-84c0-18 28-18 28 0v110l22-34c12-16 34-4 26 14l-50 104v80z"/></g>
  <g fill="#8f5f2c"><path d="M176 440h112v54H176z"/></g><g transform="translate(620 40) scale(-1 1)" fill="#c89455"><path d="M200 470V300c0-16 20-16 22 0v-90c0-18 26-18 28 0v70-100c0-18 28-18 28 0v100-84c0-18 28-18 28 0v110l22-34c12-16 34-4 26 14l-50 104v80z"/></g>`,
  },
  apron: {
    from: '#e4e8da',
    to: '#b5c09c',
    draw: `<path d="M240 120c0 60 120 60 120 0" stroke="#4a3a26" stroke-width="12" fill="none"/><path d="M236 130h128l24 120 52 20v210a18 18 0 0 1-18 18H178a18 18 0 0 1-18-18V270l52-20z" fill="#5d6b3f"/>
  <path d="M220 350h160v90a12 12 0 0 1-12 12H232a12 12 0 0 1-12-12z" fill="#4c5832"/><path d="M300 350v102" stroke="#3d4728" stroke-width="5"/>`,
  },
  tomato: {
    from: '#f4ddd0',
    to: '#e2a78f',
    draw: packet(
      '#e9d8b8',
      '#b5402c',
      `<circle cx="300" cy="328" r="58" fill="#cf3f2c"/>${[0, 72, 144, 216, 288].map((angle) => leaf(300, 276, angle, '#3f6b35', 0.36)).join('')}`,
    ),
  },
  wildflower: {
    from: '#e3e2f2',
    to: '#b7b4dc',
    draw: packet(
      '#efe6d2',
      '#5a4f96',
      `${petals(270, 300, '#7a5fc0')}${petals(338, 330, '#d9853b', 0.8)}${petals(288, 366, '#c74f78', 0.7)}<circle cx="270" cy="300" r="10" fill="#f3d25a"/>`,
    ),
  },
  pea: {
    from: '#e3efd8',
    to: '#aecb92',
    draw: packet(
      '#eee6cc',
      '#4d7a3a',
      `<path d="M232 350c20-90 116-90 136-10-40 40-100 44-136 10z" fill="#6fa24c"/><g fill="#9cc773"><circle cx="268" cy="336" r="19"/><circle cx="302" cy="330" r="21"/><circle cx="336" cy="334" r="18"/></g>`,
    ),
  },
  tulip: {
    from: '#f6e2e6',
    to: '#e3aebb',
    draw: `<path d="M300 500V300" stroke="#4d7a3a" stroke-width="16"/>${leaf(292, 500, -24, '#5d8f47', 1.7)}${leaf(308, 500, 26, '#4d7a3a', 1.6)}
  <path d="M220 170c10 40 20 30 30 0 14 30 34 40 50-6 16 46 36 36 50 6 10 30 20 40 30 0 20 90-20 160-80 160s-100-70-80-160z" fill="#c74f5f"/><path d="M300 330c-30-40-30-110 0-160 30 50 30 120 0 160z" fill="#e9a23c"/>`,
  },
  snowdrop: {
    from: '#dfe9ee',
    to: '#a9c1cd',
    draw: `<path d="M250 500c0-160 10-280 90-300" stroke="#4d7a3a" stroke-width="14" fill="none"/>${leaf(244, 500, -14, '#5d8f47', 2)}${leaf(270, 500, 16, '#4d7a3a', 1.8)}
  <g transform="translate(352 206)">${leaf(0, 0, 150, '#fff', 1.1)}${leaf(0, 0, 210, '#f4f7f4', 1.1)}${leaf(0, 0, 180, '#fff', 1.2)}<ellipse rx="20" ry="16" fill="#5d8f47"/></g>`,
  },
  pot: {
    from: '#f0e0d2',
    to: '#d3a98a',
    draw: `<g fill="#b5643c"><path d="M300 250h190l-24 210H324z"/><path d="M284 214h222v46H284z"/></g><g fill="#c87a50"><path d="M126 320h150l-18 150H144z"/><path d="M112 292h178v36H112z"/></g>
  <ellipse cx="395" cy="474" rx="92" ry="14" fill="#9a5230"/><ellipse cx="201" cy="482" rx="76" ry="12" fill="#9a5230"/>`,
  },
  seedBox: {
    from: '#efe6d6',
    to: '#cdb68e',
    draw: `<path d="M150 260h300v210a16 16 0 0 1-16 16H166a16 16 0 0 1-16-16z" fill="#a8723e"/><path d="M130 214h340v60H130z" fill="#c08a52"/>
  <g stroke="#8a5a2c" stroke-width="5"><path d="M150 330h300M150 400h300"/></g><rect x="262" y="300" width="76" height="46" rx="6" fill="#f4efe1"/>${leaf(300, 342, 0, '#4d7a3a', 0.34)}`,
  },
} satisfies Record<string, Picture>

export type PictureName = keyof typeof pictures
export const pictureNames = Object.keys(pictures) as PictureName[]

export function drawPicture(name: PictureName): string {
  const { from, to, draw } = pictures[name]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 600"><defs><radialGradient id="back" cx=".4" cy=".3" r="1"><stop stop-color="${from}"/><stop offset="1" stop-color="${to}"/></radialGradient></defs>
<rect width="600" height="600" fill="url(#back)"/><ellipse cx="300" cy="502" rx="190" ry="22" fill="#000" opacity=".14"/>${draw}</svg>`
}
