/** What a bare Node program is: it prints one line and ends. Start-up times are compared with this. */
process.stdout.write('ready\n');
