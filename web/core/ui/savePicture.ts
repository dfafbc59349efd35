import { announce } from './announce.ts'

/** Saves a chart as PNG on the theme's background. */
export function savePicture(canvas: HTMLCanvasElement, name: string): void {
  canvas.toBlob((picture) => {
    if (!picture) return announce('This browser could not export the chart.', 'bad')
    const address = URL.createObjectURL(picture)
    Object.assign(document.createElement('a'), { href: address, download: name }).click()
    setTimeout(() => URL.revokeObjectURL(address), 10_000)
    announce(`Saved as ${name}`)
  }, 'image/png')
}
