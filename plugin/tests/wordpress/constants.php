<?php

// Constants of WordPress. What the stand-ins keep lies in $GLOBALS['wp'], emptied before each test (ShopCase).

define('ABSPATH', __DIR__ . '/');
define('MINUTE_IN_SECONDS', 60);
define('HOUR_IN_SECONDS', 3600);
define('DAY_IN_SECONDS', 86400);
define('COOKIEPATH', '/');
define('LOGGED_IN_COOKIE', 'wordpress_logged_in_x');
