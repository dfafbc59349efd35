import { renderToStaticMarkup } from 'react-dom/server'
import { type PlanKey, plans } from '../../../shared/billing/billing.ts'
import { DESCRIPTION, TITLE } from './copy.ts'
import { LandingPage } from './LandingPage.tsx'
import { PictureUrls } from './Screenshot.tsx'
import { buildStyles } from './styles.ts'

export interface Built {
  /** Addresses of the pictures and of the files in roles.css, by file name. */
  urls: Readonly<Record<string, string>>
  /** Address of the page's script. */
  script: string
}

/**
 * The page as a Liquid template. The running instance supplies `origin`, `company`, `support`, `hasDemo`, `isSold`,
 * `isTestBilling` and `hasCredits`.
 */
export function renderLanding({ urls, script }: Built): string {
  const body = renderToStaticMarkup(
    <PictureUrls value={urls}>
      <LandingPage />
    </PictureUrls>,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${TITLE}</title>
<meta name="description" content="${DESCRIPTION}">
<link rel="canonical" href="{{ origin }}/landing.html">
<meta name="color-scheme" content="light dark">
<meta property="og:type" content="website">
<meta property="og:site_name" content="Recoup">
<meta property="og:title" content="${TITLE}">
<meta property="og:description" content="${DESCRIPTION}">
<meta property="og:url" content="{{ origin }}/landing.html">
<meta property="og:image" content="{{ origin }}/social.png">
<meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630">
<meta property="og:image:alt" content="Recoup, Abandoned Cart Recovery">
<meta name="twitter:card" content="summary_large_image">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<script src="/theme.js"></script>
<style>${buildStyles(urls)}</style>
<script src="${script}" defer></script>
<script type="application/ld+json">${buildStructuredData()}</script>
</head>
<body>
${body}
</body>
</html>
`
}

function buildStructuredData(): string {
  const product = JSON.stringify({
    '@context': 'https://schema.org',
    '@type': 'SoftwareApplication',
    name: 'Recoup',
    description: DESCRIPTION,
    url: '{{ origin }}/landing.html',
    image: '{{ origin }}/social.png',
    applicationCategory: 'BusinessApplication',
    operatingSystem: 'Web',
  })
  const offers = (Object.keys(plans) as PlanKey[]).map((key) => ({
    '@type': 'Offer',
    name: plans[key].name,
    price: plans[key].priceMonthly,
    priceCurrency: 'USD',
  }))
  return `${product.slice(0, -1)}{% if isSold %},"offers":${JSON.stringify(offers)}{% endif %}}`
}
