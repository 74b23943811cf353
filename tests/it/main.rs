mod embedded;
