// The name and logo of this installation, which the server writes into the page (INSTANCE_NAME, INSTANCE_LOGO).

const meta =
  typeof document === 'undefined' ? null : document.querySelector<HTMLMetaElement>('meta[name="application-name"]')

export const productName = meta?.content || 'Recoup'
/** Address of the installation's own logo. */
export const ownLogo = meta?.dataset.logo
