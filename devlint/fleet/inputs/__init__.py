"""What an audit looks at: folders of repositories, git directories or Parquet, divided into partitions."""
