import type { PushMethod } from '../../shared/push.ts'

// The code an owner puts into the shop (A 2.10, decision 75). Pure; docs/web-push.md says the same.

const HEREDOC = 'RECOUP_SW'

interface Widget {
  /** Of Recoup. */
  origin: string
  storeKey: string
  /** As it is connected: a shop may be in a folder, or have a second address. */
  storeUrl: string
}

const scriptLine = ({ origin, storeKey, storeUrl }: Widget, method: PushMethod) =>
  `<script src="${origin}/push/${storeKey}.js" data-method="${method}" data-store-url="${attribute(storeUrl)}" defer></script>`

/** Within an attribute, within a string of PHP in single quotes. */
const attribute = (url: string) =>
  url.replace(/[&"'<>\\]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** One line for every page; sw.js is uploaded to the site’s root. */
export const easyCode = (widget: Widget) => scriptLine(widget, 'easy')

/** The same with a button of the shop’s own, which is seen where it can do something. */
export const buttonCode = (widget: Widget) =>
  `<button type="button" data-recoup-push hidden>Remind me of my cart</button>\n${scriptLine(widget, 'button')}`

/** For functions.php: the line in the head, and the worker at an address of the shop’s own; nothing is uploaded. */
export const functionsCode = (
  widget: Widget,
  worker: string,
) => `// Recoup web push: paste at the end of functions.php of your child theme.
add_action( 'wp_head', function () {
    echo '${scriptLine(widget, 'functions')}';
} );
add_action( 'init', function () {
    if ( ! isset( $_GET['recoup-sw'] ) || '1' !== $_GET['recoup-sw'] ) {
        return;
    }
    defined( 'DONOTCACHEPAGE' ) || define( 'DONOTCACHEPAGE', true );
    nocache_headers();
    header( 'Content-Type: text/javascript; charset=utf-8' );
    header( 'Service-Worker-Allowed: /' );
    echo <<<'${HEREDOC}'
${worker.trim()}
${HEREDOC};
    exit;
}, 0 );`
