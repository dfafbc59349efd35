import { Box, Card, Container } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import type { ShopBrand } from '../../../shared/carts/shop-brand.ts'
import type { Language } from '../../../shared/delivery/preferences.ts'
import { useShopTheme } from './use-shop-look.ts'

interface Props {
  title: string
  storeName?: string | null
  /** The shop's site. */
  storeUrl?: string | null
  brand?: ShopBrand | null
  size?: number
  language?: Language
  children: ReactNode
}

/**
 * Frame of the shopper's pages: the shop's branding and nothing of the app. Search engines must not index it, because
 * links are personal.
 */
export function ShopperPage({ title, storeName, storeUrl, brand, size = 620, language = 'en', children }: Props) {
  useShopTheme(brand ?? null)
  useEffect(() => {
    document.documentElement.lang = language
    return () => {
      document.documentElement.lang = 'en'
    }
  }, [language])
  return (
    <Box mih="100dvh" py={{ base: 0, xs: 'xl', sm: 56 }}>
      <title>{storeName ? `${title} · ${storeName}` : title}</title>
      <meta name="robots" content="noindex" />
      <Container component="main" size={size} lang={language} px={{ base: 0, xs: 'md' }}>
        <Card className="shopper-card" padding={0}>
          {storeName && <Shop name={storeName} url={storeUrl ?? null} brand={brand ?? null} />}
          {children}
        </Card>
      </Container>
    </Box>
  )
}

/** As in the shop's mails. */
export function Shop({ name, url, brand }: { name: string; url: string | null; brand: ShopBrand | null }) {
  const logo = brand?.logo ?? null
  const logoImage = logo ? (
    <img
      className="shopper-logo"
      src={logo.path}
      width={logo.width}
      height={logo.height}
      alt={logo.alt || name}
      style={{ background: brand?.ground }}
    />
  ) : (
    name
  )
  return (
    <div className="shopper-shop">
      {url ? (
        <a href={url} rel="noreferrer">
          {logoImage}
        </a>
      ) : (
        logoImage
      )}
    </div>
  )
}
